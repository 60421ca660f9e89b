import { type ComponentChildren, h, type InputHTMLAttributes } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useDashboard } from '../state/dashboard.ts'
import { visibleText } from '../state/format.ts'

interface FieldProps {
  readonly id: string
  readonly label: string
  readonly hint?: string
}

export type FieldChoice = readonly [value: string, label: string]

/** A control with its label and hint. */
export function Field({ id, label, hint, children }: FieldProps & { children: ComponentChildren }) {
  return (
    <div class="stack field">
      <label for={id}>{label}</label>
      {children}
      {hint && (
        <p class="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

export interface TextFieldProps extends FieldProps {
  readonly value: string
  readonly onText: (text: string) => void
  /** Absent: a single line. */
  readonly rows?: number
  /** Further attributes of the control. */
  readonly control?: InputHTMLAttributes<HTMLInputElement>
  /** What is wrong with a text, in words; '' if nothing is. */
  readonly problemIn?: (text: string) => string
}

export function TextField({ value, onText, rows, control, problemIn, ...field }: TextFieldProps) {
  const { id, hint } = field
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => input.current?.setCustomValidity(problemIn?.(value) ?? ''), [value])
  const onInput = (event: Event) => onText((event.currentTarget as HTMLInputElement).value)
  const ties = { ref: input, id, 'aria-describedby': hint && `${id}-hint` }
  const attributes = { ...control, ...ties, value, onInput, rows }
  return <Field {...field}>{h(rows === undefined ? 'input' : 'textarea', attributes)}</Field>
}

interface ChoiceFieldProps extends FieldProps {
  readonly value: string
  readonly choices: readonly FieldChoice[]
  readonly onChoice: (value: string) => void
}

export function ChoiceField({ value, choices, onChoice, ...field }: ChoiceFieldProps) {
  return (
    <Field {...field}>
      <select id={field.id} value={value} onChange={event => onChoice(event.currentTarget.value)}>
        {choices.map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  )
}

interface AgentFieldProps {
  readonly id: string
  readonly value: string
  readonly onChoice: (agentId: string) => void
  /** Label of the "any agent" option; absent: no such option. */
  readonly all?: string
}

export function AgentField({ all, ...field }: AgentFieldProps) {
  const agents = (useDashboard().agents ?? []).map(({ id, name, state }): FieldChoice => {
    const called = name === null ? '' : ` · ${visibleText(name)}`
    return [id, `${id}${called}${state === 'unavailable' ? ' (unavailable)' : ''}`]
  })
  return <ChoiceField label="Agent" choices={all ? [['', all], ...agents] : agents} {...field} />
}
