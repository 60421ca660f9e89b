import { useDashboard } from '../state/dashboard.ts'
import { visibleText } from '../state/visible-text.ts'
import type { ControlAttributes } from './field.tsx'

interface AgentSelectProps {
  readonly value: string
  readonly onChange: (agentId: string) => void
  /** The choice of no agent in particular. */
  readonly all?: string
  readonly attributes: ControlAttributes
}

export function AgentSelect({ value, onChange, all, attributes }: AgentSelectProps) {
  const { agents } = useDashboard()
  return (
    <select {...attributes} value={value} onChange={event => onChange(event.currentTarget.value)}>
      {all && <option value="">{all}</option>}
      {agents?.map(({ id, name, state }) => (
        <option key={id} value={id}>
          {id}
          {name === null ? '' : ` · ${visibleText(name)}`}
          {state === 'unavailable' ? ' (unavailable)' : ''}
        </option>
      ))}
    </select>
  )
}
