import type { ComponentChildren } from 'preact'
import type { RecordedEvent, RunRecord } from '../../../api.ts'
import { curl } from '../../../curl.ts'
import { AgentText, CopyButton } from '../../parts/text.tsx'
import { indented } from '../../state/format.ts'

/**
 * The request and reply as sent, and a command that repeats the request.
 *
 * @param isAll whether the exchange is all that there is to see besides the result
 */
export function RawExchange({ record, isAll }: { record: RunRecord; isAll: boolean }) {
  const { agentId, request, reply, log, events } = record
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
      <Folded title="Raw exchange" isOpen={isAll}>
        <Part title="Request" text={indented(JSON.stringify(request))} />
        {record.agentStatus !== null && <Part title="Reply headers" text={headText(record)} />}
        {events.length > 0 && <Part title="Events" text={eventText(events)} />}
        <Part title="Reply" text={indented(reply)} />
        <Part title="curl" text={command} />
      </Folded>
    </>
  )
}

interface FoldedProps {
  readonly title: string
  readonly isOpen?: boolean
  readonly children: ComponentChildren
}

function Folded({ title, isOpen = false, children }: FoldedProps) {
  return (
    <details class="panel" open={isOpen}>
      <summary>
        <h2>{title}</h2>
      </summary>
      <div class="stack">{children}</div>
    </details>
  )
}

function Part({ title, text }: { title: string; text: string }) {
  return (
    <div class="stack field">
      <div class="row between">
        <h3>{title}</h3>
        <CopyButton text={text} what={title} />
      </div>
      <AgentText text={text} label={title} kind="code" />
    </div>
  )
}

/** The events of a stream as they came, but for pieces of text, which are joined, and the reply, which stands apart. */
function eventText(events: readonly RecordedEvent[]): string {
  return events.map(({ type, data }) => `event: ${type}\ndata: ${JSON.stringify(data)}`).join('\n\n')
}

/** A reply's status and headers, as `curl -i` shows them. */
function headText({ agentStatus, headers }: RunRecord): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP ${agentStatus}`, ...lines].join('\n')
}
