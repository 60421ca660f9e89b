import type { ComponentChildren } from 'preact'

interface FieldProps {
  readonly id: string
  readonly label: string
  readonly hint?: string
  /** What is wrong with it. */
  readonly problem?: string | undefined
  /** The control; it takes the attributes that tie it to hint and problem. */
  readonly children: (attributes: ControlAttributes) => ComponentChildren
}

export interface ControlAttributes {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
}

/** A control with its label, its hint, and what is wrong with it. */
export function Field({ id, label, hint, problem, children }: FieldProps) {
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': problem !== undefined })}
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
