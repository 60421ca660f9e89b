import type { RunPage } from '../../../api.ts'
import { search } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { usePoll } from '../../state/poll.ts'
import { hrefOf } from '../../state/route.ts'
import { RunList } from './run-list.tsx'

const SHOWN = 8
const EVERY_MS = 5000

/** What people ran last, on one agent or on all. */
export function RecentRuns({ agentId: agent = null }: { agentId?: string | null }) {
  const { api } = useDashboard()
  const path = `/api/runs?${search({ agent, by: 'person', limit: SHOWN })}`
  const { data } = usePoll<RunPage>(api, path, EVERY_MS)
  if (data === null) return null
  return (
    <section class="stack" aria-labelledby="recent">
      <div class="section-head">
        <h2 id="recent">Latest runs</h2>
        <a href={hrefOf('runs', { agent })}>All runs</a>
      </div>
      {data.runs.length > 0 ? (
        <RunList runs={data.runs} label="Latest runs" />
      ) : (
        <p class="panel empty">
          Nothing was run yet. {agent === null && <a href={hrefOf('run')}>Run a task</a>}
        </p>
      )}
    </section>
  )
}
