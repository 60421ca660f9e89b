import { RUN_P95_MS } from '../../limits.ts'
import { duration } from '../state/format.ts'

interface TileProps {
  readonly name: string
  readonly value: string
  readonly note?: string | undefined
  readonly tone?: 'bad' | 'warn' | undefined
}

/** A duration, compared with the limit for 95% of the runs. */
export function TimeTile({ name, ms }: { name: string; ms: number | null }) {
  const isPast = (ms ?? 0) > RUN_P95_MS
  const note = ms === null ? undefined : `${isPast ? 'past' : 'within'} ${duration(RUN_P95_MS)}`
  return <Tile name={name} value={duration(ms)} note={note} tone={isPast ? 'warn' : undefined} />
}

/** A figure with its name; belongs in a `dl`. */
export function Tile({ name, value, note, tone }: TileProps) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>
        {value}
        {note && <span class={tone ? `note tone-${tone}` : 'note'}>{note}</span>}
      </dd>
    </div>
  )
}
