import type { RunRecord } from '../../../api.ts'
import { lookOf } from '../../parts/badge.tsx'
import { Section } from '../../parts/page.tsx'
import { Tile } from '../../parts/tile.tsx'
import { duration, plural } from '../../state/format.ts'
import { FIGURES, type Figure, type Spread, sampleOf, spreadOf } from '../../state/repeats.ts'
import { hrefOf } from '../../state/route.ts'

/** What a task took that ran several times: the median of each figure with its range, and the runs; nothing if it ran once. */
export function Repeats({ record }: { record: RunRecord }) {
  const { id, repeats, repeatsLeft } = record
  const all = repeats.length + repeatsLeft
  if (all < 2) return null
  const succeeded = repeats.filter(({ status }) => status === 'success').length
  const isOver = repeatsLeft === 0 && repeats.every(({ status }) => status !== 'underway')
  return (
    <Section title={`${plural(all, 'run')} of this task`} label={`Repeats of run ${id}`}>
      <p class="note" role="status">
        {`Medians and ranges of ${succeeded} that succeeded, of ${repeats.length}${isOver ? '' : ' so far'}.`}
      </p>
      <dl class="tiles">
        {FIGURES.map(({ name, of, text }) => {
          const spread = succeeded > 0 ? spreadOf(sampleOf(record), of) : undefined
          const value = text(spread?.median ?? null)
          return <Tile key={name} name={name} value={value} note={spread && rangeOf(spread, text)} />
        })}
      </dl>
      <ul class="row note">
        {repeats.map(({ id: number, status, wallMs }) => (
          <li key={number}>
            <a href={hrefOf(`runs/${number}`)} aria-current={number === id ? 'true' : undefined}>
              Run {number}
            </a>{' '}
            {status === 'success' ? duration(wallMs) : lookOf(status).word}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** `0.2 s – 0.4 s`; empty for a single run. */
export function rangeOf({ runs, least, most }: Spread, text: Figure['text']): string {
  if (runs === 1) return ''
  return least === most ? 'always' : `${text(least)} – ${text(most)}`
}
