/** Calls that are read of one reply, far more than a run has steps: the rest is left out. */
export const MAX_CALLS = 1_000

/** A call that a model wrote into its text instead of making it. */
export interface WrittenCall {
  /** As offered, or as written. */
  readonly name: string
  /** JSON, or as they stand. */
  readonly args: string
  /** Whether its end has come: if not, the rest of it may be missing. */
  readonly isClosed: boolean
}

/** How calls are written. */
export interface Written {
  /** Whether marks of a template say that they are calls. */
  readonly areMarked: boolean
  /** Whether nothing follows them. */
  readonly areLast: boolean
}

/** What becomes of written calls. */
export interface WrittenRules {
  /** How many are read at most. */
  readonly max?: number | undefined
  /** Whether they are made; else they are the text that they are. */
  accepts(calls: readonly WrittenCall[], how: Written): boolean
}

const PREFIX = 'written_'

/** The id of a written call, which no server has given one: it says so wherever the call goes. */
export function writtenId(number: number): string {
  return `${PREFIX}${number}`
}

export function isWrittenId(id: string | undefined): boolean {
  return id?.startsWith(PREFIX) ?? false
}
