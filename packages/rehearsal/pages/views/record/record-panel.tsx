import type { RunRequest } from '@agent-task-service/contract'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { RunRecord } from '../../../api.ts'
import { curl } from '../../../curl.ts'
import { jsonIn, textOf } from '../../../json.ts'
import { Page, Pending } from '../../parts/page.tsx'
import { AgentText, CopyButton, Inline, Moment } from '../../parts/text.tsx'
import { usePoll } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { go, hrefOf } from '../../state/route.ts'
import { advance, beginning } from '../../state/run-steps.ts'
import { fieldsOf, isTestId } from '../../state/task.ts'
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

/** The request and reply as sent, and a command that repeats the request. */
export function Exchange({ record: { agentId, request, reply, log } }: { record: RunRecord }) {
  const path = `/staging/agents/${encodeURIComponent(agentId)}/run`
  const command = curl({ url: location.origin, path, body: request, tokenVariable: 'STAGING_TOKEN' })
  return (
    <>
      {log !== null && (
        <Folded title="Agent log">
          {log === '' ? (
            <p class="note">The agent logged nothing during this run.</p>
          ) : (
            <AgentText text={log} label="Log lines" kind="code" />
          )}
        </Folded>
      )}
      <Folded title="Raw exchange">
        <Part title="Request" text={JSON.stringify(request, null, 2)} />
        <Part title="Reply" text={prettyJson(reply)} />
        <Part title="curl" text={command} />
      </Folded>
    </>
  )
}

function Folded({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <details class="panel">
      <summary>
        <h2>{title}</h2>
      </summary>
      <div class="stack">{children}</div>
    </details>
  )
}

function Part({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <div class="row between">
        <h3>{title}</h3>
        <CopyButton text={text} what={title} />
      </div>
      <AgentText text={text} label={title} kind="code" />
    </div>
  )
}

/** Indents JSON; leaves any other text alone. */
function prettyJson(text: string): string {
  const value = jsonIn(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}
