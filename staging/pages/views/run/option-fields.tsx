import { TextField } from '../../parts/field.tsx'
import { freshTaskId, KNOWN_TOOLS, type TaskFields } from '../../state/task.ts'

interface ToolsFieldProps {
  readonly fields: TaskFields
  readonly problem: string | undefined
  readonly onChange: (members: Partial<TaskFields>) => void
}

const CHOICES = [
  ['all', "All of the agent's"],
  ['none', 'None'],
  ['chosen', 'These'],
] as const

/** `enabled_tools`: omitted, empty, or a list of names. */
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
            hint="Names, separated by commas or spaces."
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

interface TaskIdFieldProps {
  readonly taskId: string
  readonly problem: string | undefined
  readonly onChange: (members: Partial<TaskFields>) => void
}

/** A UUID is one task, however often it is sent; `test-<n>` is a new run each time. */
export function TaskIdField({ taskId, problem, onChange }: TaskIdFieldProps) {
  return (
    <div class="task-id">
      <TextField
        id="task-id"
        label="Task id"
        hint="A UUID, or test-<number>."
        problem={problem}
        control={{ class: 'mono', autoComplete: 'off', spellcheck: false }}
        value={taskId}
        onText={text => onChange({ taskId: text })}
      />
      <div class="choices">
        <button type="button" class="small" onClick={() => onChange({ taskId: freshTaskId() })}>
          New UUID
        </button>
        <button type="button" class="small" onClick={() => onChange({ taskId: nextTestId(taskId) })}>
          Test id
        </button>
      </div>
    </div>
  )
}

function nextTestId(taskId: string): string {
  const number = /^test-(\d+)$/.exec(taskId)?.[1]
  return `test-${number === undefined ? 1 : Number(number) + 1}`
}
