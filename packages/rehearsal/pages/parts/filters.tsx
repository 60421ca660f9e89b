import type { ComponentChildren } from 'preact'
import { currentRoute, go, hrefOf } from '../state/route.ts'
import { AgentField, type Choice, ChoiceField } from './field.tsx'

/** Runs by people, unless the reader asks for others: those of the checks would distort the figures. */
export const BY_PEOPLE = { by: 'person' }
export const BY_ANYONE = { by: 'anyone' }

const RUN_BY = [
  ['person', 'People'],
  ['checks', 'The checks'],
  ['anyone', 'Anyone'],
] as const

/** Goes to the current view's first page with another filter: a new address, so that the Back button undoes it. */
export function narrow(filter: Readonly<Record<string, string>>): void {
  const { path, query } = currentRoute()
  go(hrefOf(path.join('/'), { ...Object.fromEntries(query), ...filter, after: null }))
}

interface FilterProps {
  readonly query: URLSearchParams
  /** The filter's name in the address. */
  readonly name: string
  readonly label: string
  readonly choices: readonly Choice[]
  /** The choice if the address holds none. */
  readonly usual: string
}

/** A choice that the address holds. */
export function Filter({ query, name, label, choices, usual }: FilterProps) {
  const value = query.get(name) ?? usual
  const onChoice = (chosen: string) => narrow({ [name]: chosen })
  return (
    <ChoiceField id={`filter-${name}`} label={label} value={value} choices={choices} onChoice={onChoice} />
  )
}

/** The filters of every list of runs, and further ones. */
export function Filters({ query, children }: { query: URLSearchParams; children: ComponentChildren }) {
  return (
    <div class="row filters">
      <AgentField
        id="filter-agent"
        value={query.get('agent') ?? ''}
        all="All agents"
        onChoice={agent => narrow({ agent })}
      />
      <Filter query={query} name="by" label="Run by" choices={RUN_BY} usual={BY_PEOPLE.by} />
      {children}
    </div>
  )
}
