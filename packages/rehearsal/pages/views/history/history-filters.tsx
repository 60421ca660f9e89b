import { type ComponentChildren, h, type InputHTMLAttributes } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type RUN_SPANS, RUN_STATUSES, type RunSort } from '../../../api.ts'
import { lookOf } from '../../parts/badge.tsx'
import { AgentField, ChoiceField, Field, type FieldChoice } from '../../parts/field.tsx'
import { localTime } from '../../state/format.ts'
import { currentRoute, go, hrefOf } from '../../state/route.ts'

/** Runs by people, unless the reader asks for others: those of the checks would distort the figures. */
export const BY_PEOPLE = { by: 'person' }
export const BY_ANYONE = { by: 'anyone' }
/** Without the place of another page. */
export const FIRST_PAGE = { after: null, before: null }

const RUN_BY = [
  ['person', 'People'],
  ['checks', 'The checks'],
  ['anyone', 'Anyone'],
] as const

const STATUSES = [['', 'Any'], ...RUN_STATUSES.map(status => [status, lookOf(status).word] as const)] as const

const SORTS: readonly FieldChoice[] = Object.entries({
  ...{ newest: 'Newest first', oldest: 'Oldest first', slowest: 'Slowest first' },
  ...{ tokens: 'Most tokens', steps: 'Most steps', cost: 'Highest cost' },
} satisfies Record<RunSort, string>)

const LAST: readonly FieldChoice[] = Object.entries({
  ...{ '1h': 'Last hour', '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days' },
} satisfies Record<(typeof RUN_SPANS)[number], string>)
const BETWEEN = 'between'
const SPANS: readonly FieldChoice[] = [['', 'Any time'], ...LAST, [BETWEEN, 'From – to']]
const DAY_MS = 86_400_000

/** Goes to the current view's first page with another filter: a new address, so that the Back button undoes it. */
function narrow(filter: Readonly<Record<string, string>>): void {
  const { path, query } = currentRoute()
  go(hrefOf(path.join('/'), { ...Object.fromEntries(query), ...filter, ...FIRST_PAGE }))
}

/** Narrows the view to runs that began between two times. */
export function narrowToRange(from: number, to: number): void {
  narrow({ last: '', from: new Date(from).toISOString(), to: new Date(to).toISOString() })
}

/** The filters of the history, all of them in the address. */
export function HistoryFilters({ query }: { query: URLSearchParams }) {
  const isBetween = !query.has('last') && (query.has('from') || query.has('to'))
  const find = (event: SubmitEvent) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget as HTMLFormElement)
    narrow({
      text: String(data.get('text')),
      ...(isBetween && { from: instant(data, 'from', query), to: instant(data, 'to', query) }),
    })
  }
  const chooseSpan = (span: string) => {
    const from = span === BETWEEN ? new Date(Date.now() - DAY_MS).toISOString() : ''
    narrow({ last: span === BETWEEN ? '' : span, from, to: '' })
  }
  return (
    <search>
      <form onSubmit={find}>
        <div class="row filters">
          <AgentField
            id="filter-agent"
            value={query.get('agent') ?? ''}
            all="All agents"
            onChoice={agent => narrow({ agent })}
          />
          <Filter query={query} name="by" label="Run by" choices={RUN_BY} usual={BY_PEOPLE.by} />
          <Filter query={query} name="status" label="Status" choices={STATUSES} usual="" />
          <ChoiceField
            id="filter-span"
            label="Time"
            value={isBetween ? BETWEEN : (query.get('last') ?? '')}
            choices={SPANS}
            onChoice={chooseSpan}
          />
          {isBetween && (
            <>
              <TimeField label="From" name="from" at={query.get('from') ?? ''} />
              <TimeField label="To" name="to" at={query.get('to') ?? ''} />
            </>
          )}
          <Filter query={query} name="sort" label="Order" choices={SORTS} usual="newest" />
          <div class="stack field text-filter">
            <label for="filter-text">Text</label>
            <div class="row">
              <AppliedInput
                name="text"
                applied={query.get('text') ?? ''}
                control={{ type: 'search', maxLength: 200, placeholder: 'In task, output or task id' }}
              />
              <button type="submit">Search</button>
            </div>
          </div>
        </div>
      </form>
      <SetFilter query={query} name="like" others="Show the others too">
        Only runs with the outcome of{' '}
        <a href={hrefOf(`runs/${query.get('like')}`)}>run {query.get('like')}</a> and its kind of error.
      </SetFilter>
      <SetFilter query={query} name="check" others="Show those of other checks too">
        Only runs of <a href={hrefOf(`checks/${query.get('check')}`)}>checks {query.get('check')}</a>.
      </SetFilter>
    </search>
  )
}

interface FilterProps {
  readonly query: URLSearchParams
  /** The filter's name in the address. */
  readonly name: string
  readonly label: string
  readonly choices: readonly FieldChoice[]
  /** The choice if the address holds none. */
  readonly usual: string
}

/** A choice that the address holds. */
function Filter({ query, name, label, choices, usual }: FilterProps) {
  const value = query.get(name) ?? usual
  const onChoice = (chosen: string) => narrow({ [name]: chosen })
  return (
    <ChoiceField id={`filter-${name}`} label={label} value={value} choices={choices} onChoice={onChoice} />
  )
}

/** A time in the form as the address has it; '' if it is none. One that nobody changed keeps its seconds, and its hour of two alike. */
function instant(data: FormData, name: string, query: URLSearchParams): string {
  const applied = query.get(name) ?? ''
  const text = String(data.get(name))
  if (text === '') return ''
  return text === localTime(applied) ? applied : new Date(text).toISOString()
}

/** Applied when the focus leaves it, or by Enter. */
function TimeField({ label, name, at }: { label: string; name: string; at: string }) {
  const applied = localTime(at)
  const onBlur = ({ currentTarget }: { currentTarget: EventTarget }) => {
    const { form, value, validity } = currentTarget as HTMLInputElement
    if (value !== applied && !validity.badInput) form?.requestSubmit()
  }
  return (
    <Field id={`filter-${name}`} label={label}>
      <AppliedInput name={name} applied={applied} control={{ type: 'datetime-local', onBlur }} />
    </Field>
  )
}

interface AppliedInputProps {
  readonly name: string
  /** What the address has. */
  readonly applied: string
  readonly control: InputHTMLAttributes<HTMLInputElement>
}

/** An input that holds what the reader writes until the address has something else. */
function AppliedInput({ name, applied, control }: AppliedInputProps) {
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    input.current!.value = applied
  }, [applied])
  return h('input', { ...control, ref: input, id: `filter-${name}`, name })
}

interface SetFilterProps {
  readonly query: URLSearchParams
  /** The filter's name in the address. */
  readonly name: string
  /** The way to be without it. */
  readonly others: string
  readonly children: ComponentChildren
}

/** Says of a filter that only a link sets that it is in force, if it is. */
function SetFilter({ query, name, others, children }: SetFilterProps) {
  if (!query.has(name)) return null
  return (
    <p class="notice row tone-accent">
      <span>{children}</span>
      <a href={hrefOf('runs', { ...Object.fromEntries(query), [name]: null, ...FIRST_PAGE })}>{others}</a>
    </p>
  )
}
