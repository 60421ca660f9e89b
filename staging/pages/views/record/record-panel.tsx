import { useMemo } from 'preact/hooks'
import type { RunRequest } from '../../../../src/wire/contract.ts'
import type { RunRecord } from '../../../api.ts'
import { textOf } from '../../../json.ts'
import { AgentText, Inline } from '../../parts/agent-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { usePoll } from '../../state/poll.ts'
import { go, hrefOf } from '../../state/route.ts'
import { advance, beginning } from '../../state/run-steps.ts'
import { fieldsOf, isTestId } from '../../state/task.ts'
import { Exchange } from './exchange.tsx'
import { KeepForm } from './keep-form.tsx'
import { Result } from './result.tsx'
import { RunTimeline } from './run-timeline.tsx'

/** The full page of one recorded run. */
export function RecordView({ id }: { id: number }) {
  return (
    <Page title={`Run ${id}`} aside={<a href={hrefOf('runs')}>History</a>}>
      <div class="stack">
        <RecordPanel id={id} task />
      </div>
    </Page>
  )
}

const EVERY_MS = 1500
/** How long to wait for a run's log after its end. */
const SETTLED_MS = 4000

/** A recorded run by number. The log, and the record of a cancelled run, arrive a little later. */
export function RecordPanel({ id, task = false }: { id: number; task?: boolean }) {
  const isSettled = (record: RunRecord) =>
    record.log !== null || Date.now() - Date.parse(record.at) - record.wallMs > SETTLED_MS
  const { data: record, error } = usePoll(`/api/runs/${id}`, EVERY_MS, isSettled)
  const steps = useMemo(() => record?.events.reduce(advance, beginning), [record])
  if (record === null || steps === undefined) return <Pending error={error} />
  return (
    <>
      <RecordHead record={record} isLinked={!task} />
      {task && <Task record={record} />}
      <Result record={record} />
      <RunTimeline run={steps} />
      {task && typeof record.request.input === 'string' && <KeepForm record={record} />}
      <Exchange record={record} />
    </>
  )
}

/** Where and when the task ran, with its actions. */
function RecordHead({ record, isLinked }: { record: RunRecord; isLinked: boolean }) {
  const { runner } = useDashboard()
  const { id, agentId, at, byChecks, taskId } = record
  const again = requestAgain(record)
  const form = hrefOf(`run/${agentId}`)
  const edit = () => runner.setDraft(fieldsOf(record.request))
  return (
    <div class="row between">
      <p class="note">
        {isLinked ? <a href={hrefOf(`runs/${id}`)}>Run {id}</a> : 'Run'} on <Inline text={agentId} />,{' '}
        <Moment at={at} />
        {byChecks && ', by the checks'} · task <Inline text={taskId} />
      </p>
      {again && (
        <div class="actions">
          <button
            type="button"
            onClick={() => {
              edit()
              runner.start(agentId, again)
              go(form)
            }}
          >
            Run again
          </button>
          <a class="button" href={form} onClick={edit}>
            Edit and run
          </a>
        </div>
      )}
    </div>
  )
}

function Task({ record: { request } }: { record: RunRecord }) {
  const { input, config } = request
  return (
    <section class="panel stack" aria-label="Task">
      <h2>Task</h2>
      <AgentText
        text={typeof input === 'string' ? input : `${JSON.stringify(input)} (not a string)`}
        label="Task text"
      />
      {config && <AgentText text={JSON.stringify(config, null, 2)} label="Config" kind="code" />}
    </section>
  )
}

/** The request to repeat a run as a new task; undefined if the record has no task. */
function requestAgain({ request }: RunRecord): Partial<RunRequest> | undefined {
  if (typeof request.input !== 'string') return undefined
  return isTestId(textOf(request.task_id)) ? request : { ...request, task_id: crypto.randomUUID() }
}
