import { useDashboard } from '../state/dashboard.ts'
import { visibleText } from '../state/visible-text.ts'
import { type Choice, ChoiceField } from './field.tsx'

interface AgentFieldProps {
  readonly id: string
  readonly value: string
  readonly onChoice: (agentId: string) => void
  /** Label of the "any agent" option; absent: no such option. */
  readonly all?: string
}

export function AgentField({ all, ...field }: AgentFieldProps) {
  const agents = (useDashboard().agents ?? []).map(({ id, name, state }): Choice => {
    const called = name === null ? '' : ` · ${visibleText(name)}`
    return [id, `${id}${called}${state === 'unavailable' ? ' (unavailable)' : ''}`]
  })
  return <ChoiceField label="Agent" choices={all ? [['', all], ...agents] : agents} {...field} />
}
