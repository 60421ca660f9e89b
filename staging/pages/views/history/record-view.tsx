import { AgentText, Inline } from '../../parts/agent-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { outcomeOfRecord } from '../../state/outcome.ts'
import { usePoll } from '../../state/poll.ts'
import { hrefOf } from '../../state/route.ts'
import { RunResult } from '../run/run-result.tsx'

/** One recorded run, whole. */
export function RecordView({ id }: { id: number }) {
  const { api } = useDashboard()
  const { data: record, error } = usePoll(`record ${id}`, null, signal => api.record(id, signal))
  return (
    <Page title={`Run ${id}`} aside={<a href={hrefOf('runs')}>History</a>}>
      {record === null ? (
        <Pending error={error} />
      ) : (
        <div class="stack">
          <p class="note">
            <Moment at={record.at} /> on <Inline text={record.agentId} />
          </p>
          <section class="panel stack" aria-label="Task">
            <h2>Task</h2>
            <AgentText text={inputOf(record.request)} label="Task text" />
            {record.request.config && <Config config={record.request.config} />}
          </section>
          <RunResult outcome={outcomeOfRecord(record)} />
        </div>
      )}
    </Page>
  )
}

function Config({ config }: { config: object }) {
  return (
    <div>
      <h3>Config</h3>
      <AgentText text={JSON.stringify(config, null, 2)} label="Config" code />
    </div>
  )
}

function inputOf({ input }: { input?: unknown }): string {
  return typeof input === 'string' ? input : `${JSON.stringify(input)} (not a string)`
}
