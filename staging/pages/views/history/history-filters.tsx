import { useEffect, useState } from 'preact/hooks'
import { RUN_STATUSES } from '../../../api.ts'
import { AgentField } from '../../parts/agent-field.tsx'
import { Field } from '../../parts/field.tsx'
import { currentRoute, go, hrefOf } from '../../state/route.ts'
import { ByField, PERSON } from './by-field.tsx'

/** As in the address; null where it does not narrow. */
export interface Filters {
  readonly agent: string | null
  readonly status: string | null
  readonly violations: string | null
  /** Who made the runs; `all` for anyone. */
  readonly by: string
  readonly text: string | null
}

export function filtersOf(query: URLSearchParams): Filters {
  const given = (name: string) => query.get(name) || null
  return {
    agent: given('agent'),
    status: given('status'),
    violations: given('violations') === 'true' ? 'true' : null,
    text: given('text'),
    by: given('by') ?? PERSON,
  }
}

/** Each change is a new address, so that the way back leads through them. */
export function HistoryFilters({ filters }: { filters: Filters }) {
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
      <form class="filters" onSubmit={search}>
        <AgentField
          id="filter-agent"
          value={filters.agent ?? ''}
          all="All agents"
          onChange={agent => narrow({ agent })}
        />
        <Field id="filter-status" label="Status">
          {attributes => (
            <select
              {...attributes}
              value={filters.status ?? ''}
              onChange={event => narrow({ status: event.currentTarget.value })}
            >
              <option value="">Any</option>
              {RUN_STATUSES.map(status => (
                <option key={status}>{status}</option>
              ))}
            </select>
          )}
        </Field>
        <ByField id="filter-by" value={filters.by} onChange={by => narrow({ by })} />
        <Field id="filter-text" label="Text">
          {attributes => (
            <input
              {...attributes}
              type="search"
              maxLength={200}
              placeholder="In task, output or task id"
              value={text}
              onInput={event => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit">Search</button>
        <label class="check">
          <input
            type="checkbox"
            checked={filters.violations !== null}
            onChange={event => narrow({ violations: event.currentTarget.checked ? 'true' : null })}
          />
          Violations only
        </label>
      </form>
    </search>
  )
}
