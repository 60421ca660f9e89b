import { useEffect, useState } from 'preact/hooks'
import { RUN_STATUSES } from '../../../api.ts'
import { AgentField } from '../../parts/agent-field.tsx'
import { ChoiceField, TextField } from '../../parts/field.tsx'
import { currentRoute, go, hrefOf } from '../../state/route.ts'
import { PERSON, RUN_BY } from '../../state/run-by.ts'

type Filters = ReturnType<typeof filtersOf>

/** As in the address; null where it does not narrow. */
export function filtersOf(query: URLSearchParams) {
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
