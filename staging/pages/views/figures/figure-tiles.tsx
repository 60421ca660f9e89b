import type { Figures } from '../../../api.ts'
import { RUN_P95_MS } from '../../../limits.ts'
import { Tile } from '../../parts/tile.tsx'
import { count, duration, percent } from '../../state/format.ts'

/** The figures of the whole span. */
export function FigureTiles({ figures }: { figures: Figures }) {
  const { runs, successShare, p50Ms, p95Ms, inputTokens, outputTokens, steps } = figures
  return (
    <dl class="tiles panel">
      <Tile name="Runs" value={count(runs)} />
      <Tile name="Success" value={percent(successShare)} />
      <Tile name="Duration, median" value={duration(p50Ms)} />
      <Tile
        name="Duration, p95"
        value={duration(p95Ms)}
        note={
          p95Ms === null ? undefined : `${p95Ms > RUN_P95_MS ? 'past' : 'within'} ${duration(RUN_P95_MS)}`
        }
        tone={p95Ms !== null && p95Ms > RUN_P95_MS ? 'bad' : undefined}
      />
      <Tile name="Tokens in / out" value={`${count(inputTokens)} / ${count(outputTokens)}`} />
      <Tile name="Steps" value={count(steps)} />
    </dl>
  )
}
