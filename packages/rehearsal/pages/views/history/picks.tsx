import { useState } from 'preact/hooks'
import { hrefOf } from '../../state/route.ts'

export type Picks = ReturnType<typeof usePicks>

/** Runs picked to be compared: two at most, the latest picks. */
export function usePicks() {
  const [ids, setIds] = useState<readonly number[]>([])
  return {
    ids,
    toggle: (id: number) => setIds(ids.includes(id) ? ids.filter(one => one !== id) : [...ids, id].slice(-2)),
    clear: () => setIds([]),
  }
}

export function Pick({ id, picks: { ids, toggle } }: { id: number; picks: Picks }) {
  return (
    <label class="pick">
      <input type="checkbox" checked={ids.includes(id)} onChange={() => toggle(id)} /> Compare
      <span class="sr-only"> run {id}</span>
    </label>
  )
}

/** In view as long as a run is picked: what is picked, and the way to the comparison. */
export function PicksBar({ picks: { ids, clear } }: { picks: Picks }) {
  const [earlier, later] = ids.toSorted((a, b) => a - b)
  return (
    <div class={earlier === undefined ? 'sr-only' : 'panel row between picks'} role="status">
      {later !== undefined ? (
        <a class="button primary" href={hrefOf(`runs/${earlier}/${later}`)}>
          Compare runs {earlier} and {later}
        </a>
      ) : (
        earlier !== undefined && <span>Run {earlier} is picked. Pick another to compare.</span>
      )}
      {earlier !== undefined && (
        <button type="button" class="small" onClick={clear}>
          Clear
        </button>
      )}
    </div>
  )
}
