import type { RunRequest } from '@agent-task-service/contract'
import type { RunRecord } from '../../../api.ts'
import { textOf } from '../../../json.ts'
import { Inline, Moment } from '../../parts/text.tsx'
import { api, useAction, useBegin } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { hrefOf } from '../../state/route.ts'
import { fieldsOf, isTestId } from '../../state/task.ts'

/** Where and when the task ran, with its actions. */
export function RecordHead({ record, isLinked }: { record: RunRecord; isLinked: boolean }) {
  const { id, agentId, at, byChecks, taskId } = record
  return (
    <div class="row between">
      <p class="note">
        {isLinked ? <a href={hrefOf(`runs/${id}`)}>Run {id}</a> : 'Run'} on <Inline text={agentId} />,{' '}
        <Moment at={at} />
        {byChecks && ', by the checks'} · task <Inline text={taskId} />
      </p>
      {record.status === 'underway' ? <Cancel id={id} /> : <Repeat record={record} />}
    </div>
  )
}

function Cancel({ id }: { id: number }) {
  const cancel = useAction(() => api.post(`/api/runs/${id}/cancel`))
  return (
    <div class="actions">
      {cancel.problem && <span class="problem">{cancel.problem}</span>}
      <button type="button" onClick={cancel.run} disabled={cancel.isBusy}>
        Cancel<span class="sr-only"> run {id}</span>
      </button>
    </div>
  )
}

/** Runs the task again as a new one, unchanged or edited. */
function Repeat({ record }: { record: RunRecord }) {
  const { agentId, request } = record
  const { setDraft } = useDashboard()
  const begin = useBegin(agentId)
  const again = requestAgain(record)
  if (again === undefined) return null
  const edit = () => setDraft(fieldsOf(request))
  return (
    <div class="actions">
      {begin.problem && <span class="problem">{begin.problem}</span>}
      <button
        type="button"
        disabled={begin.isBusy}
        onClick={() => {
          edit()
          void begin.run(again)
        }}
      >
        Run again
      </button>
      <a class="button" href={hrefOf(`run/${agentId}`)} onClick={edit}>
        Edit and run
      </a>
    </div>
  )
}

/** The request to repeat a run as a new task; undefined if the record has no task. */
function requestAgain({ request }: RunRecord): Partial<RunRequest> | undefined {
  if (typeof request.input !== 'string') return undefined
  return isTestId(textOf(request.task_id)) ? request : { ...request, task_id: crypto.randomUUID() }
}
