import type { CheckRun } from '../../../api.ts'
import {
  assertionsIn,
  type changesSince,
  expectedIn,
  kindsOf,
  type Means,
  passedText,
  type Report,
} from '../../../report.ts'
import { Badge } from '../../parts/badge.tsx'
import { Section } from '../../parts/page.tsx'
import { Worded } from '../../parts/text.tsx'
import { Tile } from '../../parts/tile.tsx'
import { useNow } from '../../state/dashboard.ts'
import { duration, numberText, plural, roughly, took, wholeSeconds } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { stateOf, Tally } from './report-group.tsx'

const TICK_MS = 250

/** The result in a sentence that links to the assertions worth reading, and its figures. */
export function Summary({ report, check }: { report: Report; check: CheckRun }) {
  const { groups, verdict, requests, means } = report
  const { id, startedAt, finishedAt } = check
  const all = assertionsIn(groups)
  const isEarly = verdict !== null && all.length < expectedIn(groups)
  return (
    <section class="panel stack" aria-label="Summary">
      <p class="sentence" role="status">
        {countText(report)}
        {kindsOf(all).map(({ words, all: [first, ...others] }) => (
          <span key={words}>
            , <a href={hrefOf(`checks/${id}`, { at: first!.id })}>{`${others.length + 1} ${words}`}</a>
          </span>
        ))}
        .
      </p>
      <Tally groups={groups} />
      {isEarly && <p class="note">They finished early: what is not listed was not checked.</p>}
      <dl class="tiles">
        {finishedAt === null ? (
          <TimeTiles report={report} startedAt={startedAt} />
        ) : (
          <Tile name="Total time" value={took(Date.parse(finishedAt) - Date.parse(startedAt))} />
        )}
        <Tile name="Requests" value={numberText(requests)} note="not counting /health" />
        {means && <MeanTiles means={means} />}
      </dl>
    </section>
  )
}

/** `37 of 196 assertions checked`; at the end, how many passed. */
function countText({ groups, verdict }: Report): string {
  const all = assertionsIn(groups)
  const expected = expectedIn(groups)
  if (verdict === null && expected > 0) return `${all.length} of ${plural(expected, 'assertion')} checked`
  return passedText(all.filter(one => one.verdict === 'pass').length, all.length)
}

/** How long the checks have taken, and about how long they still take, which is known after a run. */
function TimeTiles({ report, startedAt }: { report: Report; startedAt: string }) {
  const { expectedSeconds } = report
  const elapsedMs = Math.max(0, useNow(TICK_MS) - Date.parse(startedAt))
  const leftMs = (expectedSeconds ?? 0) * 1000 - elapsedMs
  const why =
    expectedSeconds === undefined ? 'known after a run' : `longer than the ${expectedSeconds} s expected`
  return (
    <>
      <Tile name="Elapsed" value={wholeSeconds(elapsedMs)} />
      {leftMs > 0 ? (
        <Tile name="Remaining" value={`about ${roughly(leftMs)}`} />
      ) : (
        <Tile name="Remaining" value={numberText(null)} note={why} />
      )}
    </>
  )
}

/** What the checks could not see. */
export function Unseen({ report, isOfCommand }: { report: Report; isOfCommand: boolean }) {
  const { unseen = [], requests, finishedAt } = report
  // Of an agent that got no request, nothing was seen.
  if (unseen.length === 0 || (finishedAt !== null && requests === 0)) return null
  return (
    <Section title="Not seen from outside">
      <ul class="bullets">
        {unseen.map(what => (
          <li key={what}>{what}</li>
        ))}
      </ul>
      {isOfCommand && <p class="note">The options are those of npm run staging:check.</p>}
    </Section>
  )
}

/** Means over the runs that succeeded. */
function MeanTiles({ means }: { means: Means }) {
  const { runs, seconds, inputTokens, outputTokens, steps } = means
  return (
    <>
      <Tile name="Mean time" value={duration(seconds * 1000)} note={`of ${plural(runs, 'run')}`} />
      <Tile name="Mean steps" value={String(steps)} />
      <Tile name="Mean tokens in" value={numberText(inputTokens)} />
      <Tile name="Mean tokens out" value={numberText(outputTokens)} />
    </>
  )
}

interface ChangesProps {
  readonly changes: ReturnType<typeof changesSince>
  readonly checkId: number
  readonly beforeId: number
}

/** The assertions that pass now and did not in the checks before, and the other way round. */
export function Changes({ changes, checkId, beforeId }: ChangesProps) {
  return (
    <section class="panel stack" aria-labelledby="changes">
      <h2 id="changes">
        Since <a href={hrefOf(`checks/${beforeId}`)}>checks {beforeId}</a>
      </h2>
      {changes.length === 0 ? (
        <p class="note">No assertion has another verdict.</p>
      ) : (
        <ul class="stack">
          {changes.map(({ now, was }) => (
            <li key={now.id} class="row">
              <Badge state={stateOf(was)} /> → <Badge state={stateOf(now)} />
              <a class="assertion-title" href={hrefOf(`checks/${checkId}`, { at: now.id })}>
                <Worded text={now.title} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
