import { createHash, randomBytes } from 'node:crypto'
import { isObject } from '@agent-task-service/wire/untrusted'

const PLACE_LENGTH = 12

/** Identifies a run; a key that begins with it fits wherever 45 characters do. */
export function newRunId(): string {
  return randomBytes(16).toString('base64url')
}

/** The keys of a run's tool calls: the run's id, a digest of tool and arguments, and the number of such calls so far. */
export class CallKeys {
  #runId: string | undefined
  /** Keys that calls have or had, with the moment from which each is free again. */
  readonly #freeFrom = new Map<string, number>()
  #moment = 0

  /** @param runId absent: a new one */
  constructor(runId?: string) {
    this.#runId = runId
  }

  /** Goes on whenever a key is given back. */
  get moment(): number {
    return this.#moment
  }

  /** @param madeAt the moment when the call was made: a key that was given back while it waited is none for it */
  take(tool: string, args: unknown, madeAt = this.#moment): string {
    this.#runId ??= newRunId()
    const base = `${this.#runId}-${callDigest(tool, args).slice(0, PLACE_LENGTH)}`
    let count = 1
    while ((this.#freeFrom.get(`${base}-${count}`) ?? 0) > madeAt) count += 1
    return this.reserve(`${base}-${count}`)
  }

  /** Takes this key. */
  reserve(key: string): string {
    this.#freeFrom.set(key, Number.POSITIVE_INFINITY)
    return key
  }

  /** Gives the next call that is made with the same arguments this key again. */
  giveBack(key: string): void {
    this.#moment += 1
    this.#freeFrom.set(key, this.#moment)
  }
}

/** @returns 43 characters, the same for equal arguments */
export function callDigest(tool: string, args: unknown): string {
  return digestOf([tool, args])
}

/** @returns 43 characters, the same for equal values, in whatever order their members were written */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('base64url')
}

/** Whether two keys of a run belong to calls of one tool with the same arguments. */
export function isSameCall(key: string, other: string): boolean {
  const [one, two] = [key, other].map(each => each.slice(0, each.lastIndexOf('-')))
  return one === two
}

/** Makes equal values equal text. */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  // A schema may make these of the model's JSON.
  if (value instanceof Set || value instanceof Map) return [...value]
  return isObject(value) ? Object.fromEntries(Object.entries(value).sort(byName)) : value
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}
