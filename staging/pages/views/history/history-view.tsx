import { useEffect, useState } from 'preact/hooks'
import { RUN_STATUSES, type RunPage } from '../../../api.ts'
import { AgentField } from '../../parts/agent-field.tsx'
import { ChoiceField, TextField } from '../../parts/field.tsx'
import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { search } from '../../state/api-client.ts'
import { usePoll } from '../../state/poll.ts'
import { currentRoute, go, hrefOf } from '../../state/route.ts'
import { ANYONE, byOf, PERSON, RUN_BY } from '../../state/run-by.ts'
import { RunList } from './run-list.tsx'

const PAGE = 50
const EVERY_MS = 5000

/** Every recorded run, newest first, in pages. The address holds the filters and the page. */
export function HistoryView({ query }: { query: URLSearchParams }) {
  const filters = filtersOf(query)
  const before = query.get('before')
  // Only the newest page changes.
  const everyMs = before === null ? EVERY_MS : null
  const path = `/api/runs?${search({ ...filters, by: byOf(filters.by), before, limit: PAGE })}`
  const { data, error } = usePoll<RunPage>(path, everyMs)
  return (
    <Page title="History">
      <HistoryFilters filters={filters} />
      {data === null ? (
        <Pending error={error} />
      ) : data.runs.length === 0 ? (
        <p class="panel empty">
          No runs {before === null && [...query].length === 0 ? 'by a person yet' : 'match the filters'}.{' '}
          <a href={hrefOf('runs', { by: ANYONE })}>Show all runs</a>
        </p>
      ) : (
        <>
          <RunList runs={data.runs} label="Runs" />
          <nav class="row center" aria-label="Pages">
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

type Filters = ReturnType<typeof filtersOf>

/** The filters in the address; null for those that are not set. */
function filtersOf(query: URLSearchParams) {
  const given = (name: string) => query.get(name) || null
  return {
    agent: given('agent'),
    status: given('status'),
    text: given('text'),
    by: given('by') ?? PERSON,
  }
}

/** Each change is a new address, so that the Back button undoes it. */
function HistoryFilters({ filters }: { filters: Filters }) {
  const [text, setText] = useState(filters.text ?? '')
  useEffect(() => setText(filters.text ?? ''), [filters.text])
  const narrow = (members: Partial<Filters>) =>
    go(hrefOf('runs', { ...filtersOf(currentRoute().query), ...members }))
  const search = (event: Event) => {
    event.preventDefault()
    narrow({ text })
  }
  return (
    <search>
      <form class="row filters" onSubmit={search}>
        <AgentField
          id="filter-agent"
          value={filters.agent ?? ''}
          all="All agents"
          onChoice={agent => narrow({ agent })}
        />
        <ChoiceField
          id="filter-status"
          label="Status"
          value={filters.status ?? ''}
          choices={[['', 'Any'], ...RUN_STATUSES.map(status => [status, status] as const)]}
          onChoice={status => narrow({ status })}
        />
        <ChoiceField
          id="filter-by"
          label="Run by"
          value={filters.by}
          choices={RUN_BY}
          onChoice={by => narrow({ by })}
        />
        <TextField
          id="filter-text"
          label="Text"
          control={{ type: 'search', maxLength: 200, placeholder: 'In task, output or task id' }}
          value={text}
          onText={setText}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  )
}
