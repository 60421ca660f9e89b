import type { RunRequest } from '@agent-task-service/wire/contract'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { MAX_TIMES } from '../../../api.ts'
import { isObject, parseJson } from '../../../json.ts'
import { AgentField, TextField, type TextFieldProps } from '../../parts/field.tsx'
import { Notice } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { requestOf, type TaskFields } from '../../state/task.ts'

interface TaskFormProps {
  readonly agentId: string
  /** Tasks to try first. */
  readonly examples: readonly string[]
  /** A run is being begun. */
  readonly isBusy: boolean
  /** Why the last run did not begin. */
  readonly problem: string | null
  readonly onAgent: (agentId: string) => void
  readonly onRun: (request: RunRequest, times: number) => void
}

const TASK_ID = String.raw`\s*([\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}|test-\d+)?\s*`

/** Fields that most runs leave empty. */
const OPTIONS: readonly (Omit<TextFieldProps, 'value' | 'onText'> & {
  readonly id: keyof TaskFields
})[] = [
  {
    id: 'systemPrompt',
    label: 'System prompt',
    hint: "For this run only. Empty: the agent's own.",
    rows: 5,
  },
  {
    id: 'maxTokens',
    label: 'Token cap (max_tokens)',
    hint: "Tokens generated over the whole run. Empty: the agent's own cap.",
    control: { type: 'number', min: 1, max: Number.MAX_SAFE_INTEGER },
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
    problemIn: text =>
      text.trim() === '' || isObject(parseJson(text)) ? '' : 'Expected a JSON object, or nothing.',
  },
  {
    id: 'taskId',
    label: 'Task id',
    hint: 'test-<number> is a new run each time, a UUID may return an earlier answer. Empty: a new UUID.',
    control: { class: 'mono', pattern: TASK_ID, title: 'A UUID, test-<number>, or nothing.' },
  },
]

/** The fields of a run request. They survive a reload. */
export function TaskForm({ agentId, examples, isBusy, problem, onAgent, onRun }: TaskFormProps) {
  const { draft, setDraft } = useDashboard()
  const form = useRef<HTMLFormElement>(null)
  const options = useRef<HTMLDetailsElement>(null)
  const [times, setTimes] = useState('1')
  const isUsed = OPTIONS.some(({ id }) => draft[id].trim() !== '')
  const open = () => {
    options.current!.open = true
  }
  useLayoutEffect(() => {
    if (isUsed) open()
  }, [isUsed])

  function submit(event: Event): void {
    event.preventDefault()
    if (!isBusy) onRun(requestOf(draft), Number(times))
  }

  return (
    <form
      ref={form}
      class="panel stack"
      onSubmit={submit}
      // The browser can show only what is visible.
      onInvalidCapture={event => options.current!.contains(event.target as Node) && open()}
      onKeyDown={event => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current!.requestSubmit()
      }}
      autoComplete="off"
      aria-label="New run"
    >
      <AgentField id="agent" value={agentId} onChoice={onAgent} />
      <TextField
        id="input"
        label="Task"
        rows={4}
        control={{ required: true }}
        value={draft.input}
        onText={input => setDraft({ ...draft, input })}
      />
      <fieldset class="row">
        <legend class="note">For example</legend>
        {examples.map(input => (
          <button key={input} type="button" class="small" onClick={() => setDraft({ ...draft, input })}>
            {input.split(/:?\n/)[0]}
          </button>
        ))}
      </fieldset>
      <details ref={options}>
        <summary>Options</summary>
        <div class="stack">
          {OPTIONS.map(option => (
            <TextField
              key={option.id}
              {...option}
              value={draft[option.id]}
              onText={text => setDraft({ ...draft, [option.id]: text })}
            />
          ))}
        </div>
      </details>
      <div class="row">
        <button type="submit" class="primary" aria-disabled={isBusy}>
          Run
        </button>
        <label class="row times">
          <input
            type="number"
            required
            min={1}
            max={MAX_TIMES}
            value={times}
            onInput={event => setTimes(event.currentTarget.value)}
          />
          {times === '1' ? 'time' : 'times'}
        </label>
        <span class="note">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> in any field
        </span>
      </div>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
    </form>
  )
}
