import { duration } from '../../state/format.ts'

const LINE_MS = 30_000

/** How long a run took, marked where it is past the 30 s line. */
export function Took({ wallMs }: { wallMs: number }) {
  if (wallMs <= LINE_MS) return <span>{duration(wallMs)}</span>
  return (
    <span class="tone-warn" title="Past the 30 s line">
      {duration(wallMs)}
      <span class="sr-only">, past the 30 s line</span>
    </span>
  )
}
