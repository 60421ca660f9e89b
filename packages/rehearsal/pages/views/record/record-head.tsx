import type { RunRequest } from '@agent-task-service/wire/contract'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { CheckRun, RunRecord } from '../../../api.ts'
import { textOf } from '../../../json.ts'
import { assertionsIn } from '../../../report.ts'
import { Inline, TimeText, Worded } from '../../parts/text.tsx'
import { api, useAction, usePoll } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { useBegin } from '../../state/record.ts'
import { hrefOf } from '../../state/route.ts'
import { isTestId, taskFieldsOf } from '../../state/task.ts'

const EVERY_MS = 3000

/** Where and when the task ran, with its actions. */
export function RecordHead({ record, isLinked }: { record: RunRecord; isLinked: boolean }) {
  const { id, agentId, at, taskId, before } = record
  return (
    <div class="row between">
      <p class="note">
        {isLinked ? <a href={hrefOf(`runs/${id}`)}>Run {id}</a> : 'Run'} on <Inline text={agentId} />,{' '}
        <TimeText at={at} />
        <MadeBy run={record} /> · task <Inline text={taskId} />
      </p>
      <div class="row actions">
        {before !== null && (
          <a class="button" href={hrefOf(`runs/${before}/${id}`)}>
            Compare with run {before}
          </a>
        )}
        {record.status === 'underway' ? (
          <UnderwayButton path={`/api/runs/${id}/cancel`}>
            Cancel<span class="sr-only"> run {id}</span>
          </UnderwayButton>
        ) : (
          <Repeat record={record} />
        )}
      </div>
    </div>
  )
}

/** Acts on a run in progress. The button goes with the run's end, and leaves its focus to the run's panel. */
export function UnderwayButton({ path, children }: { path: string; children: ComponentChildren }) {
  const button = useRef<HTMLButtonElement>(null)
  const { run, isBusy, problem } = useAction(() => api.post(path))
  useLayoutEffect(() => {
    const panel = button.current!.closest<HTMLElement>('.record')
    return () => {
      if (document.activeElement === button.current) panel?.focus()
    }
  }, [])
  return (
    <>
      {problem && <span class="problem">{problem}</span>}
      <button ref={button} type="button" onClick={run} aria-disabled={isBusy}>
        {children}
      </button>
    </>
  )
}

/** Which acceptance checks made a run, and which of their assertions; nothing of a run by a person. */
function MadeBy({ run: { id, check = null, byChecks } }: { run: RunRecord }) {
  const path = check === null ? null : `/api/checks/${check}`
  const { data } = usePoll<CheckRun>(path, ({ state }) => (state === 'underway' ? EVERY_MS : null))
  if (!byChecks) return null
  if (check === null) return <>, by the checks</>
  const assertions = assertionsIn(data?.report?.groups ?? [])
  const made = assertions.filter(({ runs }) => runs?.includes(id))
  return (
    <>
      , by <a href={hrefOf(`checks/${check}`)}>checks {check}</a>
      {made.map((assertion, index) => (
        <span key={assertion.id}>
          {index === 0 ? ': ' : '; '}
          <a href={hrefOf(`checks/${check}`, { at: assertion.id })}>
            <Worded text={assertion.title} />
          </a>
        </span>
      ))}
    </>
  )
}

/** Runs the task again as a new one, unchanged or edited, and shows it beside the first. */
function Repeat({ record }: { record: RunRecord }) {
  const { id, agentId, request } = record
  const { setDraft } = useDashboard()
  const begin = useBegin(agentId, [id])
  const again = requestAgain(record)
  if (again === undefined) return null
  const edit = () => setDraft(taskFieldsOf(request))
  return (
    <>
      {begin.problem && <span class="problem">{begin.problem}</span>}
      <button
        type="button"
        aria-disabled={begin.isBusy}
        onClick={() => {
          edit()
          void begin.run(again)
        }}
      >
        Run again
      </button>
      <a class="button" href={hrefOf(`run/${agentId}`, { run: id })} onClick={edit}>
        Edit and run
      </a>
    </>
  )
}

/** The request to repeat a run as a new task; undefined if the record has no task. */
function requestAgain({ request }: RunRecord): Partial<RunRequest> | undefined {
  if (typeof request.input !== 'string') return undefined
  return isTestId(textOf(request.task_id)) ? request : { ...request, task_id: crypto.randomUUID() }
}
