import { TextField } from '../../parts/field.tsx'
import { KNOWN_TOOLS, type TaskFields } from '../../state/task.ts'

interface ToolsFieldProps {
  readonly fields: TaskFields
  readonly problem: string | undefined
  readonly onChange: (members: Partial<TaskFields>) => void
}

const CHOICES = [
  ['all', "All the agent's own"],
  ['none', 'None'],
  ['chosen', 'These'],
] as const

/** `enabled_tools`: left out, empty, or a list of names. */
export function ToolsField({ fields, problem, onChange }: ToolsFieldProps) {
  const { tools, chosen, otherTools } = fields
  const toggle = (name: string, isOn: boolean) =>
    onChange({ chosen: isOn ? [...chosen, name] : chosen.filter(other => other !== name) })
  return (
    <fieldset>
      <legend>Tools</legend>
      <div class="choices">
        {CHOICES.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name="tools"
              value={value}
              checked={tools === value}
              onChange={() => onChange({ tools: value })}
            />
            {label}
          </label>
        ))}
      </div>
      {tools === 'chosen' && (
        <div class="chosen-tools">
          <div class="choices">
            {KNOWN_TOOLS.map(name => (
              <label key={name}>
                <input
                  type="checkbox"
                  checked={chosen.includes(name)}
                  onChange={event => toggle(name, event.currentTarget.checked)}
                />
                <code>{name}</code>
              </label>
            ))}
          </div>
          <TextField
            id="other-tools"
            label="Others"
            hint="Names, by commas or spaces."
            problem={problem}
            control={{ autoComplete: 'off' }}
            value={otherTools}
            onText={text => onChange({ otherTools: text })}
          />
        </div>
      )}
    </fieldset>
  )
}
