import { useDashboard } from '../state/dashboard.ts'
import { visibleText } from '../state/visible-text.ts'
import { Field } from './field.tsx'

interface AgentFieldProps {
  readonly id: string
  readonly value: string
  readonly onChange: (agentId: string) => void
  /** The choice of no agent in particular. */
  readonly all?: string
}

export function AgentField({ id, value, onChange, all }: AgentFieldProps) {
  const { agents } = useDashboard()
  return (
    <Field id={id} label="Agent">
      {attributes => (
        <select {...attributes} value={value} onChange={event => onChange(event.currentTarget.value)}>
          {all && <option value="">{all}</option>}
          {agents?.map(agent => (
            <option key={agent.id} value={agent.id}>
              {agent.id}
              {agent.name === null ? '' : ` · ${visibleText(agent.name)}`}
              {agent.state === 'unavailable' ? ' (unavailable)' : ''}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
