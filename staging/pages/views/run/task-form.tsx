import { useState } from 'preact/hooks'
import type { RunRequest } from '../../../../src/http/contract.ts'
import { AgentSelect } from '../../parts/agent-select.tsx'
import { Field } from '../../parts/field.tsx'
import { freshTaskId, problemsOf, requestOf, type TaskFields, type TaskProblems } from '../../state/task.ts'
import { TaskIdField } from './task-id-field.tsx'
import { ToolsField } from './tools-field.tsx'

interface TaskFormProps {
  readonly agentId: string
  /** While a run is under way there is no other. */
  readonly isBusy: boolean
  readonly onRun: (agentId: string, request: RunRequest) => void
}

const empty: Omit<TaskFields, 'agentId' | 'taskId'> = {
  input: '',
  systemPrompt: '',
  maxTokens: '',
  tools: 'all',
  chosen: [],
  otherTools: '',
}
/** In the order of the form: the first that is wrong gets the focus. */
const CONTROLS: readonly [keyof TaskProblems, string][] = [
  ['agentId', 'agent'],
  ['input', 'task'],
  ['maxTokens', 'max-tokens'],
  ['tools', 'other-tools'],
  ['taskId', 'task-id'],
]

/** A run request by fields. The id of a UUID task is fresh again after each run. */
export function TaskForm({ agentId, isBusy, onRun }: TaskFormProps) {
  const [fields, setFields] = useState<TaskFields>(() => ({ ...empty, agentId, taskId: freshTaskId() }))
  const [wasTried, setTried] = useState(false)
  const problems = wasTried ? problemsOf(fields) : {}
  const change = (members: Partial<TaskFields>) => setFields(before => ({ ...before, ...members }))

  function submit(event: Event): void {
    event.preventDefault()
    const found = problemsOf(fields)
    const wrong = CONTROLS.find(([name]) => found[name] !== undefined)
    setTried(wrong !== undefined)
    if (wrong) document.getElementById(wrong[1])?.focus()
    if (wrong || isBusy) return
    onRun(fields.agentId, requestOf(fields))
    if (!fields.taskId.startsWith('test-')) change({ taskId: freshTaskId() })
  }

  return (
    <form class="panel stack task-form" onSubmit={submit} noValidate aria-label="New run">
      <Field id="agent" label="Agent" problem={problems.agentId}>
        {attributes => (
          <AgentSelect
            attributes={attributes}
            value={fields.agentId}
            onChange={chosen => change({ agentId: chosen })}
          />
        )}
      </Field>
      <Field id="task" label="Task" problem={problems.input}>
        {attributes => (
          <textarea
            {...attributes}
            rows={5}
            placeholder="What is 15% of 240?"
            value={fields.input}
            onInput={event => change({ input: event.currentTarget.value })}
            onKeyDown={event => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
            }}
          />
        )}
      </Field>
      <Field id="system-prompt" label="System prompt" hint="For this run only. Empty: the agent's own.">
        {attributes => (
          <textarea
            {...attributes}
            rows={2}
            value={fields.systemPrompt}
            onInput={event => change({ systemPrompt: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field
        id="max-tokens"
        label="Token cap (max_tokens)"
        hint="Tokens generated over the whole run. Empty: the agent's own cap."
        problem={problems.maxTokens}
      >
        {attributes => (
          <input
            {...attributes}
            class="short"
            inputMode="numeric"
            autoComplete="off"
            value={fields.maxTokens}
            onInput={event => change({ maxTokens: event.currentTarget.value })}
          />
        )}
      </Field>
      <ToolsField fields={fields} problem={problems.tools} onChange={change} />
      <TaskIdField taskId={fields.taskId} problem={problems.taskId} onChange={change} />
      <div class="submit">
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? 'A run is under way' : 'Run'}
        </button>
        <span class="note">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> in the task
        </span>
      </div>
    </form>
  )
}
