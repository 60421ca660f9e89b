import { type Assertion, type changesSince, kindsOf, type Means, type Report } from '../../../report.ts'
import { Badge, lookOf } from '../../parts/badge.tsx'
import { Worded } from '../../parts/text.tsx'
import { Tile } from '../../parts/tile.tsx'
import { count, duration, plural } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { stateOf } from './report-group.tsx'

/** The result in a sentence that links to the assertions worth reading, and what was not looked at. */
export function Summary({ report, checkId }: { report: Report; checkId: number }) {
  const { groups, verdict, requests, means, unseen = [] } = report
  const all = groups.flatMap(({ assertions }) => assertions)
  const passed = all.filter(({ verdict }) => verdict === 'pass').length
  return (
    <section class="panel stack" aria-label="Summary">
      <p class="sentence" role="status">
        {passed} of {plural(all.length, 'assertion')} hold
        {kindsOf(all).map(({ words, all: [first, ...others] }) => (
          <span key={words}>
            , <a href={hrefOf(`checks/${checkId}`, { at: first!.id })}>{`${others.length + 1} ${words}`}</a>
          </span>
        ))}
        {verdict === null ? ' so far' : ''}.
      </p>
      <Tally assertions={all} />
      <dl class="tiles">
        <Tile name="Requests" value={count(requests)} note="not counting /health" />
        {means && <MeanTiles means={means} />}
      </dl>
      {unseen.length > 0 && requests > 0 && (
        <div>
          <h2>Not seen from outside</h2>
          <ul class="bullets">
            {unseen.map(what => (
              <li key={what}>{what}</li>
            ))}
          </ul>
          <p class="note">The options are those of npm run staging:check.</p>
        </div>
      )}
    </section>
  )
}

/** Means over the runs that succeeded. */
function MeanTiles({ means }: { means: Means }) {
  const { runs, seconds, inputTokens, outputTokens, steps } = means
  return (
    <>
      <Tile name="Mean time" value={duration(seconds * 1000)} note={`of ${plural(runs, 'run')}`} />
      <Tile name="Mean steps" value={String(steps)} />
      <Tile name="Mean tokens in" value={count(inputTokens)} />
      <Tile name="Mean tokens out" value={count(outputTokens)} />
    </>
  )
}

/** How many assertions hold, and how many of each other kind, as parts of one bar. */
function Tally({ assertions }: { assertions: readonly Assertion[] }) {
  const passed = assertions.filter(({ verdict }) => verdict === 'pass')
  const kinds = [...(passed.length > 0 ? [{ words: 'hold', all: passed }] : []), ...kindsOf(assertions)]
  return (
    <div class="tally" aria-hidden="true">
      {kinds.map(({ words, all }) => (
        <span
          key={words}
          class={`tone-${lookOf(stateOf(all[0]!)).tone}`}
          title={`${all.length} ${words}`}
          style={{ flexGrow: all.length }}
        />
      ))}
    </div>
  )
}

interface ChangesProps {
  readonly changes: ReturnType<typeof changesSince>
  readonly checkId: number
  readonly beforeId: number
}

/** The assertions that hold now and did not in the checks before, and the other way round. */
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
