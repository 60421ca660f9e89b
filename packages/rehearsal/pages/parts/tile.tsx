import type { ComponentChildren } from 'preact'
import type { RunFigures } from '../../api.ts'
import { RUN_P95_MS } from '../../limits.ts'
import { duration, numberText } from '../state/format.ts'

interface TileProps {
  readonly name: string
  readonly value: ComponentChildren
  readonly note?: ComponentChildren
  readonly tone?: 'bad' | 'warn' | undefined
}

/** A duration, compared with the limit for 95% of the runs. */
export function TimeTile({ name, ms }: { name: string; ms: number | null }) {
  const isPast = (ms ?? 0) > RUN_P95_MS
  const note = ms === null ? undefined : `${isPast ? 'past' : 'within'} ${duration(RUN_P95_MS)}`
  return <Tile name={name} value={duration(ms)} note={note} tone={isPast ? 'warn' : undefined} />
}

/** The share of runs that succeeded, of those that ended. */
export function SuccessTile({ figures: { runs, statuses } }: { figures: RunFigures }) {
  const ended = runs - (statuses.underway ?? 0)
  const succeeded = statuses.success ?? 0
  const share = ended === 0 ? '–' : `${Math.floor((succeeded / ended) * 1000) / 10}%`
  return <Tile name="Success" value={share} note={`${numberText(succeeded)} of ${numberText(ended)}`} />
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
