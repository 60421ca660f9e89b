import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Assertion, assertionsIn, expectedIn, type Group, kindsOf, toldOf } from '../../../report.ts'
import { Badge, lookOf } from '../../parts/badge.tsx'
import { AgentText, CopyButton, Worded } from '../../parts/text.tsx'
import { plural } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'

/** One of the curator's checks, folded; failed assertions are listed above all groups. */
export function ReportGroup({ group, at }: { group: Group; at: string | null }) {
  const { title, assertions } = group
  const advisory = kindsOf(assertions.filter(({ mandatory }) => !mandatory)).map(
    ({ words, all }) => `${all.length} ${words}`,
  )
  // Failed assertions open in the list above.
  const here = assertions.find(({ id, verdict }) => id === at && verdict === 'pass')?.id ?? null
  return (
    <details class="panel" open={here !== null}>
      <summary>
        <span class="row">
          <h2>{title}</h2>
          <Badge {...groupState(group)} />
          <span class="note">{[...countOf(group), ...advisory].join(', ')}</span>
        </span>
        <Tally groups={[group]} />
      </summary>
      {assertions.length === 0 ? (
        <p class="note">Nothing is checked yet.</p>
      ) : (
        <AssertionList assertions={assertions} at={here} />
      )}
    </details>
  )
}

/** `53 assertions`, `12 of 53`; empty if not known. */
function countOf(group: Group): string[] {
  const { length } = group.assertions
  const all = expectedIn([group])
  if (all === 0) return []
  const isPart = length < all && group.state !== 'waiting'
  return [isPart ? `${length} of ${all}` : plural(all, 'assertion')]
}

/** How many assertions passed, how many of each other kind, and how many are to come, as parts of one bar. */
export function Tally({ groups }: { groups: readonly Group[] }) {
  const assertions = assertionsIn(groups)
  const passed = assertions.filter(({ verdict }) => verdict === 'pass')
  const kinds = [...(passed.length > 0 ? [{ words: 'passed', all: passed }] : []), ...kindsOf(assertions)]
  const left = expectedIn(groups) - assertions.length
  return (
    <span class="tally" aria-hidden="true">
      {kinds.map(({ words, all }) => (
        <span
          key={words}
          class={`tone-${lookOf(stateOf(all[0]!)).tone}`}
          title={`${all.length} ${words}`}
          style={{ flexGrow: all.length }}
        />
      ))}
      {left > 0 && <span class="left" style={{ flexGrow: left }} />}
    </span>
  )
}

/** A group takes the verdict of its worst assertion; advisory assertions cannot fail it. */
function groupState({ state, assertions }: Group): { state: string; word?: string } {
  if (state !== 'done') return { state }
  const [worst] = kindsOf(assertions.filter(({ mandatory }) => mandatory))
  if (worst === undefined) return { state: 'passed' }
  const isFailed = worst.all[0]!.verdict === 'fail'
  const word = `${worst.all.length} ${isFailed ? 'failed' : 'not run'}`
  return { state: isFailed ? 'failed' : 'incomplete', word }
}

/** The look of an assertion: an advisory one that failed looks like no failure. */
export function stateOf({ verdict, mandatory }: Assertion): string {
  if (mandatory || verdict === 'pass') return verdict
  return verdict === 'fail' ? 'advisory' : 'not_run_advisory'
}

export function AssertionList({ assertions, at }: { assertions: readonly Assertion[]; at: string | null }) {
  return (
    <ul class="lined assertions">
      {assertions.map(assertion => (
        <AssertionItem key={assertion.id} assertion={assertion} isHere={assertion.id === at} />
      ))}
    </ul>
  )
}

/**
 * One assertion and its verdict, with why it matters and how to reproduce it folded beneath.
 *
 * @param isHere the address names this assertion: opens it and scrolls to it
 */
function AssertionItem({ assertion, isHere }: { assertion: Assertion; isHere: boolean }) {
  const { id, verdict, mandatory, detail } = assertion
  const details = useRef<HTMLDetailsElement>(null)
  useLayoutEffect(() => {
    if (!isHere) return
    details.current!.open = true
    details.current!.scrollIntoView()
    details.current!.querySelector('summary')?.focus({ preventScroll: true })
  }, [isHere])
  return (
    <li>
      <details ref={details}>
        <summary>
          <span class="row">
            <Badge state={stateOf(assertion)} />
            <span class="assertion-title">
              <Worded text={toldOf(assertion)} />
              {detail !== null && (
                <span class="note detail">
                  <Worded text={detail} />
                </span>
              )}
            </span>
            {!mandatory && verdict !== 'fail' && <span class="tag">advisory</span>}
          </span>
        </summary>
        <AssertionDetails assertion={assertion} name={id} />
      </details>
    </li>
  )
}

/** Shown before the reader asks for the others. */
const FEW_RUNS = 5

/** The runs that an assertion made; the latest first. */
function Runs({ ids }: { ids: readonly number[] }) {
  if (ids.length === 0) return null
  const links = ids.toReversed().map(id => (
    <a key={id} href={hrefOf(`runs/${id}`)}>
      run {id}
    </a>
  ))
  return (
    <div class="row">
      <strong>Runs</strong> {links.slice(0, FEW_RUNS)}
      {links.length > FEW_RUNS && (
        <details>
          <summary>{links.length - FEW_RUNS} more</summary>
          <div class="row">{links.slice(FEW_RUNS)}</div>
        </details>
      )}
    </div>
  )
}

/**
 * What an assertion got, why it matters and how to see it again.
 *
 * @param name for the labels of its texts
 */
export function AssertionDetails({ assertion, name }: { assertion: Assertion; name: string }) {
  const { id, detail, why, how, run, source, runs = [] } = assertion
  return (
    <div class="stack">
      {detail !== null && <AgentText text={detail} label={`Detail of ${name}`} />}
      <p>
        <strong>Why</strong> <Worded text={why} />
      </p>
      {run !== undefined && (
        <p>
          <strong>Seen in</strong> <a href={hrefOf(`runs/${run}`)}>run {run}</a>
          {source !== undefined && (
            <>
              , which shows something of <a href={hrefOf(`runs/${source}`)}>run {source}</a>
            </>
          )}
        </p>
      )}
      <Runs ids={runs.filter(id => id !== run && id !== source)} />
      <div class="row between">
        <strong>How to see it</strong>
        <CopyButton text={how} what={`the command of ${name}`} />
      </div>
      <AgentText text={how} label={`Command of ${name}`} kind="code" />
      <p class="note">
        <code>{id}</code>
      </p>
    </div>
  )
}
