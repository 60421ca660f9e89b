import { Field } from '../../parts/field.tsx'

export const PERSON = 'person'
export const ANYONE = 'anyone'
const CHOICES = [
  [PERSON, 'People'],
  ['checks', 'The checks'],
  [ANYONE, 'Anyone'],
]

interface ByFieldProps {
  readonly id: string
  readonly value: string
  readonly onChange: (by: string) => void
}

/** Whose runs are meant: those of the acceptance checks are no measure of what people do. */
export function ByField({ id, value, onChange }: ByFieldProps) {
  return (
    <Field id={id} label="Run by">
      {attributes => (
        <select {...attributes} value={value} onChange={event => onChange(event.currentTarget.value)}>
          {CHOICES.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** As the platform's API takes it. */
export function byOf(value: string): string | null {
  return value === ANYONE ? null : value
}
