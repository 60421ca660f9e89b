import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunRequest } from '../../../../src/wire/contract.ts'
import type { RunRecord } from '../../../api.ts'
import { AgentField } from '../../parts/agent-field.tsx'
import { TextField, type TextFieldProps } from '../../parts/field.tsx'
import * as tasks from '../../state/task.ts'

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

/** Fields that most runs leave empty. */
const OPTIONS: readonly (Omit<TextFieldProps, 'value' | 'onText'> & {
  readonly id: keyof tasks.TaskFields
})[] = [
  {
    id: 'systemPrompt',
    label: 'System prompt',
    hint: "For this run only. Empty: the agent's own.",
    rows: 2,
  },
  {
    id: 'maxTokens',
    label: 'Token cap (max_tokens)',
    hint: "Tokens generated over the whole run. Empty: the agent's own cap.",
    control: { inputMode: 'numeric' },
  },
  {
    id: 'tools',
    label: 'Tools (enabled_tools)',
    hint: "Names, such as calculator, time; or none. Empty: all of the agent's.",
  },
  {
    id: 'ownSettings',
    label: 'Own settings (JSON)',
    hint: 'Further members of config that the agent declares, such as {"audience": "pupils"}.',
    control: { class: 'mono' },
  },
  {
    id: 'taskId',
    label: 'Task id',
    hint: 'test-<number> is a new run each time, a UUID may return an earlier answer. Empty: a new UUID.',
    control: { class: 'mono' },
  },
]

/** The fields of a run request. They survive a reload. */
export function TaskForm({ agentId, source, isBusy, onSource, onAgent, onRun }: TaskFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [fields, setFields] = useState(tasks.readDraft)
  const [problems, setProblems] = useState<tasks.TaskProblems>({})
  const isUsed = (given: tasks.TaskFields) => OPTIONS.some(({ id }) => given[id].trim() !== '')
  const [isOpen, setOpen] = useState(isUsed(fields))

  function change(members: Partial<tasks.TaskFields>): void {
    const changed = { ...fields, ...members }
    setFields(changed)
    tasks.keepDraft(changed)
    if (Object.keys(problems).length > 0) setProblems(tasks.problemsOf(changed))
  }
  useEffect(() => {
    if (source === null) return
    const copied = tasks.fieldsOf(source.request)
    change(copied)
    setOpen(isUsed(copied))
    onSource()
  }, [source])

  function submit(event: Event): void {
    event.preventDefault()
    const found = tasks.problemsOf(fields)
    setProblems(found)
    if (Object.keys(found).some(name => name !== 'input')) setOpen(true)
    if (Object.keys(found).length === 0) {
      if (!isBusy) onRun(tasks.requestOf(fields))
      return
    }
    // Focuses the first invalid field once it is visible.
    setTimeout(() => form.current!.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
  }

  return (
    <form ref={form} class="panel stack" onSubmit={submit} noValidate autoComplete="off" aria-label="New run">
      <AgentField id="agent" value={agentId} onChoice={onAgent} />
      <TextField
        id="input"
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
      <fieldset class="row examples">
        <legend class="note">For example</legend>
        {EXAMPLES.map(input => (
          <button key={input} type="button" class="small" onClick={() => change({ input })}>
            {input}
          </button>
        ))}
      </fieldset>
      <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>Options</summary>
        <div class="stack">
          {OPTIONS.map(option => (
            <TextField
              key={option.id}
              {...option}
              problem={problems[option.id]}
              value={fields[option.id]}
              onText={text => change({ [option.id]: text })}
            />
          ))}
        </div>
      </details>
      <div class="row">
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
