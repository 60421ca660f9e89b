import { RUN_STATUSES } from '../../../api.ts'
import { lookOf } from '../../parts/badge.tsx'
import { BY_ANYONE, BY_PEOPLE, Filter, Filters, narrow } from '../../parts/filters.tsx'
import { Page, Pending } from '../../parts/page.tsx'
import { hrefOf, search } from '../../state/route.ts'
import { RunList, useRuns } from './run-list.tsx'

/** Every recorded run, newest first, in pages. The address holds the filters and the page. */
export function HistoryView({ query }: { query: URLSearchParams }) {
  const filters = Object.fromEntries(query)
  const after = query.get('after')
  const path = `/api/runs?${search({ ...BY_PEOPLE, ...filters })}`
  const { data, error } = useRuns(path)
  return (
    <Page title="History">
      <HistoryFilters query={query} />
      {data === null ? (
        <Pending error={error} />
      ) : data.runs.length === 0 ? (
        <p class="panel empty">
          No runs {query.size === 0 ? 'by a person yet' : 'match the filters'}.{' '}
          <a href={hrefOf('runs', BY_ANYONE)}>Show all runs</a>
        </p>
      ) : (
        <>
          <RunList runs={data.runs} label="Runs" />
          <nav class="row center" aria-label="Pages">
            {after !== null && <a href={hrefOf('runs', { ...filters, after: null })}>Newest</a>}
            <span class="note">
              Runs {data.runs[0]!.id} to {data.runs.at(-1)!.id}
            </span>
            {data.next === null ? (
              <span class="note">No older runs</span>
            ) : (
              <a href={hrefOf('runs', { ...filters, after: data.next })}>Older</a>
            )}
          </nav>
        </>
      )}
    </Page>
  )
}

const STATUSES = [['', 'Any'], ...RUN_STATUSES.map(status => [status, lookOf(status).word] as const)] as const

function HistoryFilters({ query }: { query: URLSearchParams }) {
  const text = query.get('text') ?? ''
  const find = (event: SubmitEvent) => {
    event.preventDefault()
    narrow({ text: String(new FormData(event.currentTarget as HTMLFormElement).get('text')) })
  }
  return (
    <search>
      <form onSubmit={find}>
        <Filters query={query}>
          <Filter query={query} name="status" label="Status" choices={STATUSES} usual="" />
          <div class="field">
            <label for="filter-text">Text</label>
            <input
              key={text}
              id="filter-text"
              name="text"
              type="search"
              maxLength={200}
              placeholder="In task, output or task id"
              defaultValue={text}
            />
          </div>
          <button type="submit">Search</button>
        </Filters>
      </form>
    </search>
  )
}
