import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunRequest } from '../../../../src/http/contract.ts'
import type { RunRecord } from '../../../api.ts'
import { AgentField } from '../../parts/agent-field.tsx'
import { TextField } from '../../parts/field.tsx'
import * as tasks from '../../state/task.ts'
import { TaskIdField, ToolsField } from './option-fields.tsx'

interface TaskFormProps {
  readonly agentId: string
  /** A run whose task to edit; null: edits the draft. */
  readonly source: RunRecord | null
  /** A run is in progress, so another cannot start. */
  readonly isBusy: boolean
  /** Called once the source has been copied into the form. */
  readonly onSource: () => void
  readonly onAgent: (agentId: string) => void
  readonly onRun: (request: RunRequest) => void
}

/** Tasks that need neither an API key nor a network. */
const EXAMPLES = [
  'What is 15% of 240?',
  'How many kilometres are 26.2 miles?',
  'What day of the week was 4 July 1776?',
  'What time is it in Tokyo when it is noon in Lisbon?',
]

/** The fields of a run request. They survive a reload; a UUID task gets a new id after each run. */
export function TaskForm({ agentId, source, isBusy, onSource, onAgent, onRun }: TaskFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [fields, setFields] = useState(tasks.readDraft)
  const [problems, setProblems] = useState<tasks.TaskProblems>({})
  const options = tasks.optionsIn(fields)
  const [isOpen, setOpen] = useState(options.length > 0)

  function change(members: Partial<tasks.TaskFields>): void {
    const changed = { ...fields, ...members }
    setFields(changed)
    tasks.keepDraft(changed)
    if (Object.keys(problems).length > 0) setProblems(tasks.problemsOf(changed))
  }
  useEffect(() => {
    if (source === null) return
    const taken = tasks.fieldsOf(source.request)
    change(taken)
    setOpen(tasks.optionsIn(taken).length > 0)
    onSource()
  }, [source])

  function submit(event: Event): void {
    event.preventDefault()
    const found = tasks.problemsOf(fields)
    setProblems(found)
    const wrong = Object.keys(found)
    if (wrong.some(name => name !== 'input')) setOpen(true)
    // Focuses the first invalid field once it is visible.
    if (wrong.length > 0)
      setTimeout(() => form.current!.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
    if (wrong.length > 0 || isBusy) return
    onRun(tasks.requestOf(fields))
    if (!tasks.isTestId(fields.taskId)) change({ taskId: tasks.freshTaskId() })
  }

  return (
    <form ref={form} class="panel stack task-form" onSubmit={submit} noValidate aria-label="New run">
      <AgentField id="agent" value={agentId} onChoice={onAgent} />
      <TextField
        id="task"
        label="Task"
        problem={problems.input}
        rows={4}
        control={{
          onKeyDown: event =>
            void (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && submit(event)),
        }}
        value={fields.input}
        onText={input => change({ input })}
      />
      <fieldset class="examples">
        <legend class="note">For example</legend>
        {EXAMPLES.map(input => (
          <button key={input} type="button" class="small" onClick={() => change({ input })}>
            {input}
          </button>
        ))}
      </fieldset>
      <details class="options" open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>
          Options <span class="note">{options.join(', ')}</span>
        </summary>
        <div class="stack">
          <TextField
            id="system-prompt"
            label="System prompt"
            hint="For this run only. Empty: the agent's own."
            rows={2}
            value={fields.systemPrompt}
            onText={systemPrompt => change({ systemPrompt })}
          />
          <TextField
            id="max-tokens"
            label="Token cap (max_tokens)"
            hint="Tokens generated over the whole run. Empty: the agent's own cap."
            problem={problems.maxTokens}
            control={{ class: 'short', inputMode: 'numeric', autoComplete: 'off' }}
            value={fields.maxTokens}
            onText={maxTokens => change({ maxTokens })}
          />
          <ToolsField fields={fields} problem={problems.tools} onChange={change} />
          <TaskIdField taskId={fields.taskId} problem={problems.taskId} onChange={change} />
        </div>
      </details>
      <div class="submit">
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? 'A run is in progress' : 'Run'}
        </button>
        <span class="note">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> in the task
        </span>
      </div>
    </form>
  )
}
