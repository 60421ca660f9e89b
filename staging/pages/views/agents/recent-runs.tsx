import { useDashboard } from '../../state/dashboard.ts'
import { usePoll } from '../../state/poll.ts'
import { hrefOf } from '../../state/route.ts'
import { RunList } from '../history/run-list.tsx'

const SHOWN = 8
const EVERY_MS = 5000

export function RecentRuns() {
  const { api } = useDashboard()
  const { data } = usePoll('recent', EVERY_MS, signal => api.runs({ limit: SHOWN }, signal))
  if (data === null) return null
  return (
    <section class="stack" aria-labelledby="recent">
      <div class="section-head">
        <h2 id="recent">Latest runs</h2>
        <a href={hrefOf('runs')}>All runs</a>
      </div>
      {data.runs.length > 0 ? (
        <RunList runs={data.runs} label="Latest runs" />
      ) : (
        <p class="panel note">
          No run yet. <a href={hrefOf('run')}>Run a task</a>
        </p>
      )}
    </section>
  )
}
