import type { RunPage } from '../../../api.ts'
import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { search } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { usePoll } from '../../state/poll.ts'
import { hrefOf } from '../../state/route.ts'
import { ANYONE, byOf } from '../../state/run-by.ts'
import { filtersOf, HistoryFilters } from './history-filters.tsx'
import { RunList } from './run-list.tsx'

const PAGE = 50
const EVERY_MS = 5000

/** Every recorded run, newest first, a page at a time. The filters and the page are in the address. */
export function HistoryView({ query }: { query: URLSearchParams }) {
  const { api } = useDashboard()
  const filters = filtersOf(query)
  const before = query.get('before')
  // Only the newest page changes.
  const everyMs = before === null ? EVERY_MS : null
  const path = `/api/runs?${search({ ...filters, by: byOf(filters.by), before, limit: PAGE })}`
  const { data, error } = usePoll<RunPage>(api, path, everyMs)
  return (
    <Page title="History">
      <HistoryFilters filters={filters} />
      {data === null ? (
        <Pending error={error} />
      ) : data.runs.length === 0 ? (
        <p class="panel empty">
          No run {before === null && [...query].length === 0 ? 'by a person yet' : 'fits the filters'}.{' '}
          <a href={hrefOf('runs', { by: ANYONE })}>Show all runs</a>
        </p>
      ) : (
        <>
          <RunList runs={data.runs} label="Runs" />
          <nav class="paging" aria-label="Pages">
            {before !== null && <a href={hrefOf('runs', { ...filters })}>Newest</a>}
            <span class="note">
              Runs {data.runs[0]!.id} to {data.runs.at(-1)!.id}
            </span>
            {data.next === null ? (
              <span class="note">No older runs</span>
            ) : (
              <a href={hrefOf('runs', { ...filters, before: data.next })}>Older</a>
            )}
          </nav>
        </>
      )}
    </Page>
  )
}
