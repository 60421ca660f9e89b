import type { Found, Text } from './text.ts'

/** Reads what may stand in a slot at a position: all that fits, the longest first. */
export type Slot = (text: Text, at: number) => readonly Found<unknown>[]
export type Slots = Readonly<Record<string, Slot>>
/** Finds a phrase at a position; its values are those of its slots, in order. */
export type Phrase = (text: Text, at: number) => readonly Found<readonly unknown[]>[]

type Part =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'slot'; readonly slot: Slot }
  | { readonly kind: 'choice'; readonly branches: readonly Part[][]; readonly optional: boolean }

/**
 * Makes a phrase from its notation: words as they stand; `(a|b c)` one of these; `[a|b]` one of these or nothing;
 * `{name}` whatever the slot of that name reads.
 *
 * @throws {Error} for a bracket without its partner, or a slot that does not exist
 */
export function phrase(notation: string, slots: Slots): Phrase {
  const pieces = notation.match(/[()[\]|]|\{\w+\}|[^\s()[\]|{}]+/g) ?? []
  let next = 0
  const readBranches = (close: string | undefined): Part[][] => {
    const branches: Part[][] = [[]]
    for (; next < pieces.length && pieces[next] !== close; next++) {
      const piece = pieces[next]!
      const branch = branches.at(-1)!
      if (piece === '|') branches.push([])
      else if (piece === '(' || piece === '[') {
        next++
        const inner = readBranches(piece === '(' ? ')' : ']')
        branch.push({ kind: 'choice', branches: inner, optional: piece === '[' })
      } else if (piece.startsWith('{')) {
        const name = piece.slice(1, -1)
        const slot = slots[name]
        if (!slot) throw new Error(`expected one of ${Object.keys(slots).join(', ')}, got "${name}"`)
        branch.push({ kind: 'slot', slot })
      } else branch.push({ kind: 'word', word: piece })
    }
    if (next >= pieces.length && close) throw new Error(`expected "${close}" in "${notation}"`)
    return branches
  }
  const branches = readBranches(undefined)
  return (text, at) => longestFirst(choose(branches, text, [{ end: at, value: [] }]))
}

type State = Found<readonly unknown[]>

function choose(branches: readonly Part[][], text: Text, states: readonly State[]): State[] {
  return branches.flatMap(parts =>
    parts.reduce<State[]>((reached, part) => distinct(step(part, text, reached)), [...states]),
  )
}

function step(part: Part, text: Text, states: readonly State[]): State[] {
  if (states.length === 0) return []
  if (part.kind === 'choice') {
    const chosen = choose(part.branches, text, states)
    return part.optional ? [...chosen, ...states] : chosen
  }
  return states.flatMap(({ end: at, value }): State[] => {
    if (part.kind === 'word') {
      const end = text.literal(part.word, at)
      return end === undefined ? [] : [{ end, value }]
    }
    const start = text.skip(at)
    const found = text.once(part.slot, start, () => part.slot(text, start))
    return found.map(one => ({ end: one.end, value: [...value, one.value] }))
  })
}

/** One state for each end, the first: it keeps the states fewer than the characters. */
function distinct(states: readonly State[]): State[] {
  if (states.length < 2) return [...states]
  const byEnd = new Map<number, State>()
  for (const state of states) if (!byEnd.has(state.end)) byEnd.set(state.end, state)
  return [...byEnd.values()]
}

function longestFirst(states: readonly State[]): State[] {
  return distinct(states).sort((a, b) => b.end - a.end)
}
