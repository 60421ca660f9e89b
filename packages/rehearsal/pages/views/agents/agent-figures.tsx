import type { AgentView, CheckRun, HealthPoll, RunFigures } from '../../../api.ts'
import { inDollars, medianOf } from '../../../figures.ts'
import { HEALTH_TIMEOUT_MS } from '../../../limits.ts'
import { Badge, lookOf } from '../../parts/badge.tsx'
import { Spark } from '../../parts/spark.tsx'
import { Inline, Worded } from '../../parts/text.tsx'
import { SuccessTile, Tile, TimeTile } from '../../parts/tile.tsx'
import { age, duration, numberText } from '../../state/format.ts'
import { hrefOf, search } from '../../state/route.ts'
import { useFigures } from '../history/run-figures.tsx'

/** Whose runs the figures are of. */
const SHOWN = { by: 'person', last: '24h' } as const
/** Kinds of errors. */
const MAX_KINDS = 2

const NONE: RunFigures = {
  ...{ runs: 0, statuses: {}, p50Ms: null, p95Ms: null, tokens: 0, costUsd: null, costEstimated: false },
  ...{ bucketMs: 0, buckets: [], errors: [] },
}

/** What there is to decide on: health, the verdict of the last checks, and what people's runs came to. */
export function AgentFigures({ agent: { id, polls, checked } }: { agent: AgentView }) {
  const { data, error } = useFigures(`/api/runs/figures?${search({ agent: id, ...SHOWN })}`)
  const isComing = data === null && error === null
  return (
    <>
      <dl class="tiles even" style={{ visibility: isComing ? 'hidden' : 'visible' }}>
        <HealthTile polls={polls} />
        {checked === null ? (
          <Tile name="Last checks" value="–" note="not checked yet" />
        ) : (
          <ChecksTile checked={checked} />
        )}
        <RunTiles agentId={id} figures={data ?? NONE} />
      </dl>
      {checked?.found?.cause && (
        <p class="note">
          <Worded text={checked.found.cause} />
        </p>
      )}
    </>
  )
}

function ChecksTile({ checked: { id, state, found, startedAt } }: { checked: CheckRun }) {
  const word = lookOf(state).word
  return (
    <Tile
      name="Last checks"
      value={
        <a href={hrefOf(`checks/${id}`)} aria-label={`Checks ${id}: ${word}`}>
          <Badge state={state} />
        </a>
      }
      note={`${found ? `${numberText(found.hold)} of ${numberText(found.of)}, ` : ''}${age(startedAt)} ago`}
    />
  )
}

/** As high as a poll took, in powers of ten from 1 ms to where it fails: quick ones differ, whatever a slow one took. */
function HealthTile({ polls }: { polls: readonly HealthPoll[] }) {
  const tookMs = polls.filter(({ ok }) => ok).map(({ latencyMs }) => latencyMs)
  const failed = polls.length - tookMs.length
  const heightOf = ({ ok, latencyMs }: HealthPoll) =>
    ok ? Math.log(Math.max(1.5, latencyMs)) / Math.log(HEALTH_TIMEOUT_MS) : 1
  const note = failed > 0 ? `${failed} of ${polls.length} failed` : `slowest ${duration(Math.max(...tookMs))}`
  return (
    <Tile
      name="/health"
      value={
        <span class="with-spark">
          {tookMs.length > 0 ? duration(medianOf(tookMs)) : '–'}
          <Spark
            label="Polls of /health, by how long they took"
            heights={polls.map(heightOf)}
            isBad={index => !polls[index]!.ok}
          />
        </span>
      }
      note={polls.length > 0 && note}
      tone={failed > 0 ? 'bad' : undefined}
    />
  )
}

function RunTiles({ agentId: agent, figures }: { agentId: string; figures: RunFigures }) {
  const { p95Ms, costUsd, costEstimated, errors, buckets } = figures
  const others = errors.length - MAX_KINDS
  return (
    <>
      <SuccessTile figures={figures} />
      <TimeTile name="p95" ms={p95Ms} />
      <SumTile name="Tokens" text={numberText(figures.tokens)} values={buckets.map(({ tokens }) => tokens)} />
      <SumTile
        name="Cost"
        text={inDollars(costUsd, costEstimated)}
        values={buckets.map(bucket => bucket.costUsd ?? 0)}
      />
      <div class="tile causes">
        <dt>Errors by cause</dt>
        <dd>
          {errors.length === 0 && '–'}
          {errors.slice(0, MAX_KINDS).map(({ message, count, latest }) => (
            <span key={latest} class="note excerpt">
              {numberText(count)} ×{' '}
              <a href={hrefOf('runs', { agent, ...SHOWN, like: latest })}>
                <Inline text={message || '(no message)'} />
              </a>
            </span>
          ))}
          {others > 0 && (
            <span class="note">
              <a href={hrefOf('runs', { agent, ...SHOWN })}>and {numberText(others)} more</a>
            </span>
          )}
        </dd>
      </div>
    </>
  )
}

/** A sum, and what it is made of over time. */
function SumTile({ name, text, values }: { name: string; text: string; values: readonly number[] }) {
  const highest = Math.max(...values)
  return (
    <Tile
      name={name}
      value={
        <span class="with-spark">
          {text}
          {highest > 0 && (
            <Spark label={`${name} over time`} heights={values.map(value => (value / highest) * 0.9)} />
          )}
        </span>
      }
    />
  )
}
