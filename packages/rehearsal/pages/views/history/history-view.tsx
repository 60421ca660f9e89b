import { useRef } from 'preact/hooks'
import type { RunPage } from '../../../api.ts'
import { Pending, ViewPage } from '../../parts/page.tsx'
import { plural } from '../../state/format.ts'
import { hrefOf, search } from '../../state/route.ts'
import { BY_ANYONE, BY_PEOPLE, FIRST_PAGE, HistoryFilters } from './history-filters.tsx'
import { type Picks, PicksBar, usePicks } from './picks.tsx'
import { RunFiguresView, useFigures } from './run-figures.tsx'
import { RunList, useRuns } from './run-list.tsx'

/** Every recorded run, in pages, and what they come to. The address holds the filters, the order and the page. */
export function HistoryView({ query }: { query: URLSearchParams }) {
  const shown = { ...BY_PEOPLE, ...Object.fromEntries(query) }
  const filters = { ...shown, ...FIRST_PAGE }
  const list = useRuns(`/api/runs?${search(shown)}`)
  const figures = useFigures(`/api/runs/figures?${search({ ...filters, sort: null })}`)
  // The first time both appear at once, so that nothing moves.
  const hasCome = useRef(false)
  const picks = usePicks()
  hasCome.current ||= list.data !== null && figures.data !== null
  return (
    <ViewPage title="History" aside={<Exports filters={filters} />}>
      <HistoryFilters query={query} />
      {hasCome.current && figures.data !== null && figures.data.runs > 0 && (
        <RunFiguresView figures={figures.data} query={query} />
      )}
      {list.data === null || !hasCome.current ? (
        <Pending error={list.error ?? figures.error} />
      ) : (
        <Runs page={list.data} query={query} picks={picks} />
      )}
      <PicksBar picks={picks} />
    </ViewPage>
  )
}

function Exports({ filters }: { filters: Parameters<typeof search>[0] }) {
  return (
    <p class="row note">
      {['CSV', 'JSON'].map(name => (
        <a
          key={name}
          href={`/api/runs/export?${search({ ...filters, format: name.toLowerCase() })}`}
          download
        >
          Export {name}
        </a>
      ))}
    </p>
  )
}

interface RunsProps {
  readonly page: RunPage
  readonly query: URLSearchParams
  readonly picks: Picks
}

function Runs({ page: { runs, next, previous }, query, picks }: RunsProps) {
  const filters = { ...Object.fromEntries(query), ...FIRST_PAGE }
  if (runs.length === 0) {
    return (
      <p class="panel empty">
        No runs {query.size === 0 ? 'by a person yet' : 'match the filters'}.{' '}
        <a href={hrefOf('runs', BY_ANYONE)}>Show all runs</a>
      </p>
    )
  }
  const isByTime = ['newest', 'oldest'].includes(query.get('sort') ?? 'newest')
  return (
    <>
      <RunList runs={runs} label="Runs" picks={picks} />
      <nav class="row center" aria-label="Pages">
        {previous !== null && (
          <>
            <a href={hrefOf('runs', filters)}>First page</a>
            <a href={hrefOf('runs', { ...filters, before: previous })}>Previous page</a>
          </>
        )}
        <span class="note">
          {isByTime ? `Runs ${runs[0]!.id} to ${runs.at(-1)!.id}` : plural(runs.length, 'run')}
        </span>
        {next === null ? (
          <span class="note">Last page</span>
        ) : (
          <a href={hrefOf('runs', { ...filters, after: next })}>Next page</a>
        )}
      </nav>
    </>
  )
}
