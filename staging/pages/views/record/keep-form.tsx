import { useState } from 'preact/hooks'
import type { KeptTask, RunRecord } from '../../../api.ts'
import { objectIn, textOf } from '../../../json.ts'
import { ChoiceField, TextField } from '../../parts/field.tsx'
import { Notice } from '../../parts/page.tsx'
import { api, useAction } from '../../state/api-client.ts'

const KINDS = [
  ['contains', 'contains the text'],
  ['equals', 'is the text'],
  ['number', 'states the number'],
  ['pattern', 'matches the regular expression'],
  ['status', 'has the status'],
] as const
/** Longest output to suggest as the expectation, in characters. */
const SUGGESTED = 200

/** Keeps the run as a task with an expectation, and a recording if its model calls are known. */
export function KeepForm({ record }: { record: RunRecord }) {
  const { id, request, reply, status } = record
  const output = textOf(objectIn(reply).output).trim()
  const isAnswer = status === 'success'
  const [name, setName] = useState(() => nameFor(textOf(request.input)))
  const [kind, setKind] = useState<string>(isAnswer ? 'contains' : 'status')
  const [value, setValue] = useState(isAnswer ? output.slice(0, SUGGESTED) : status)
  const [kept, setKept] = useState<KeptTask | null>(null)
  const keep = useAction(async () => {
    const expect = { [kind]: kind === 'number' ? Number(value) : value }
    setKept(await api.post<KeptTask>(`/api/runs/${id}/keep`, { name, expect }))
  })
  const submit = (event: Event) => {
    event.preventDefault()
    void keep.run()
  }
  return (
    <details class="panel">
      <summary>
        <h2>Keep as test</h2>
      </summary>
      <form class="stack" onSubmit={submit} autoComplete="off">
        <TextField id="keep-name" label="Name" value={name} onText={setName} />
        <ChoiceField id="keep-kind" label="The answer" value={kind} choices={KINDS} onChoice={setKind} />
        <TextField id="keep-value" label="Expected" value={value} rows={2} onText={setValue} />
        <div class="row">
          <button type="submit" disabled={keep.isBusy || kept !== null}>
            Keep
          </button>
          <span class="note">Written into the project, for you to read and commit.</span>
        </div>
        {keep.problem && <Notice tone="bad">{keep.problem}</Notice>}
        {kept && (
          <p role="status">
            <code>npm run eval -- {kept.tasks}</code> and the checks take the task.{' '}
            {kept.recording === null ? (
              `It is not recorded: ${kept.unrecorded}.`
            ) : (
              <>
                <code>npm test</code> replays <code>{kept.recording}</code> without a model.
              </>
            )}
          </p>
        )}
      </form>
    </details>
  )
}

/** The first words of a task, as a name. */
function nameFor(input: string): string {
  const words = input.toLowerCase().match(/[a-z0-9]+/g) ?? ['task']
  return words.slice(0, 6).join('-').slice(0, 40).replace(/-$/, '')
}
