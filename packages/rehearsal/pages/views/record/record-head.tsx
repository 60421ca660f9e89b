import type { RunRequest } from '@agent-task-service/wire/contract'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { RunRecord } from '../../../api.ts'
import { textOf } from '../../../json.ts'
import { Inline, Moment } from '../../parts/text.tsx'
import { api, useAction } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { useBegin } from '../../state/record.ts'
import { hrefOf } from '../../state/route.ts'
import { fieldsOf, isTestId } from '../../state/task.ts'
import { MadeBy } from '../checks/made-by.tsx'

interface RecordHeadProps {
  readonly record: RunRecord
  readonly isLinked: boolean
  /** What the head belongs to. */
  readonly panel: RefObject<HTMLElement | null>
}

/** Where and when the task ran, with its actions. */
export function RecordHead({ record, isLinked, panel }: RecordHeadProps) {
  const { id, agentId, at, taskId, before } = record
  return (
    <div class="row between">
      <p class="note">
        {isLinked ? <a href={hrefOf(`runs/${id}`)}>Run {id}</a> : 'Run'} on <Inline text={agentId} />,{' '}
        <Moment at={at} />
        <MadeBy run={record} /> · task <Inline text={taskId} />
      </p>
      <div class="actions">
        {before !== null && (
          <a class="button" href={hrefOf(`runs/${before}/${id}`)}>
            Compare with run {before}
          </a>
        )}
        {record.status === 'underway' ? <Cancel id={id} panel={panel} /> : <Repeat record={record} />}
      </div>
    </div>
  )
}

/** Ends the run. The button goes with the run's end, and leaves its focus to the run's panel. */
function Cancel({ id, panel }: { id: number; panel: RefObject<HTMLElement | null> }) {
  const button = useRef<HTMLButtonElement>(null)
  const cancel = useAction(() => api.post(`/api/runs/${id}/cancel`))
  useLayoutEffect(() => {
    return () => {
      if (document.activeElement === button.current) panel.current?.focus()
    }
  }, [panel])
  return (
    <>
      {cancel.problem && <span class="problem">{cancel.problem}</span>}
      <button ref={button} type="button" onClick={cancel.run} aria-disabled={cancel.isBusy}>
        Cancel<span class="sr-only"> run {id}</span>
      </button>
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
  const edit = () => setDraft(fieldsOf(request))
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
