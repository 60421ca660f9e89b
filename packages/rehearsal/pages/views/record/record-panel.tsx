import type { RunRequest } from '@agent-task-service/contract'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { RunRecord } from '../../../api.ts'
import { curl } from '../../../curl.ts'
import { jsonIn, textOf } from '../../../json.ts'
import { Page, Pending } from '../../parts/page.tsx'
import { AgentText, CopyButton, Inline, Moment } from '../../parts/text.tsx'
import { api, useAction, useBegin } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { plural } from '../../state/format.ts'
import { useRecord } from '../../state/record.ts'
import { hrefOf } from '../../state/route.ts'
import { advance, beginning } from '../../state/run-steps.ts'
import { fieldsOf, isTestId } from '../../state/task.ts'
import { Result } from './result.tsx'
import { RunProgress } from './run-progress.tsx'
import { RunTimeline } from './run-timeline.tsx'

/** The full page of one run. */
export function RecordView({ id }: { id: number }) {
  const { data: record, error } = useRecord(id)
  return (
    <Page title={`Run ${id}`} aside={<a href={hrefOf('runs')}>History</a>}>
      <div class="stack">
        {record === null ? <Pending error={error} /> : <RecordPanel record={record} task />}
      </div>
    </Page>
  )
}

/** A run, in progress or ended. */
export function RecordPanel({ record, task = false }: { record: RunRecord; task?: boolean }) {
  const steps = useMemo(() => record.events.reduce(advance, beginning), [record])
  const isUnderway = record.status === 'underway'
  return (
    <>
      <RecordHead record={record} isLinked={!task} />
      {task && <Task record={record} />}
      {isUnderway ? <RunProgress record={record} /> : <Result record={record} />}
      <RunTimeline run={steps} isUnderway={isUnderway} />
      <Exchange record={record} />
      <p class="sr-only" role="status">
        {isUnderway
          ? `The run is in progress, ${plural(steps.steps.length, 'step')} so far`
          : 'The run has ended'}
      </p>
    </>
  )
}

/** Where and when the task ran, with its actions. */
function RecordHead({ record, isLinked }: { record: RunRecord; isLinked: boolean }) {
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
        {reply !== '' && <Part title="Reply" text={prettyJson(reply)} />}
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
