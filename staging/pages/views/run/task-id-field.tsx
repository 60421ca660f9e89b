import { TextField } from '../../parts/field.tsx'
import { freshTaskId, type TaskFields } from '../../state/task.ts'

interface TaskIdFieldProps {
  readonly taskId: string
  readonly problem: string | undefined
  readonly onChange: (members: Partial<TaskFields>) => void
}

/** A UUID is one task, however often it is sent; `test-<n>` is a run of its own each time. */
export function TaskIdField({ taskId, problem, onChange }: TaskIdFieldProps) {
  return (
    <div class="task-id">
      <TextField
        id="task-id"
        label="Task id"
        hint="A UUID, or test- and digits."
        problem={problem}
        control={{ class: 'mono', autoComplete: 'off', spellcheck: false }}
        value={taskId}
        onText={text => onChange({ taskId: text })}
      />
      <div class="choices">
        <button type="button" class="small" onClick={() => onChange({ taskId: freshTaskId() })}>
          Fresh UUID
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
