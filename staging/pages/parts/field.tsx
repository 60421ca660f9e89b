import { type ComponentChildren, h, type InputHTMLAttributes } from 'preact'

interface FieldProps {
  readonly id: string
  readonly label: string
  readonly hint?: string
  /** Error message. */
  readonly problem?: string | undefined
}

export type Choice = readonly [value: string, label: string]

/** A control with its label, hint and error message. */
function Field({ id, label, hint, problem, children }: FieldProps & { children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  )
}

/** Attributes that link a control to its hint and error message. */
function tiesOf({ id, hint, problem }: FieldProps) {
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return { id, 'aria-describedby': describedBy || undefined, 'aria-invalid': problem !== undefined }
}

export interface TextFieldProps extends FieldProps {
  readonly value: string
  readonly onText: (text: string) => void
  /** Absent: a single line. */
  readonly rows?: number
  /** Further attributes of the control. */
  readonly control?: InputHTMLAttributes<HTMLInputElement>
}

export function TextField({ value, onText, rows, control, ...field }: TextFieldProps) {
  const onInput = (event: Event) => onText((event.currentTarget as HTMLInputElement).value)
  const attributes = { ...control, ...tiesOf(field), value, onInput, rows }
  return <Field {...field}>{h(rows === undefined ? 'input' : 'textarea', attributes)}</Field>
}

interface ChoiceFieldProps extends FieldProps {
  readonly value: string
  readonly choices: readonly Choice[]
  readonly onChoice: (value: string) => void
}

export function ChoiceField({ value, choices, onChoice, ...field }: ChoiceFieldProps) {
  return (
    <Field {...field}>
      <select {...tiesOf(field)} value={value} onChange={event => onChoice(event.currentTarget.value)}>
        {choices.map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  )
}
