import { CallKeys } from './call-keys.ts'

/**
 * The key of a call's `configurable` for an object that stands for the run, the same one in all its calls. A tool may keep
 * what belongs to a run by it, in a `WeakMap`.
 */
export const RUN = '__run'

/** The key of a call's `configurable` for its `KeyedCall`. */
const CALL = '__call'

/** A tool call and its idempotency key, which is made when it is first read. */
export class KeyedCall {
  readonly tool: string
  /** The model's id of the call; absent: a node made it. */
  readonly id: string | undefined
  /** Whether it took steps of its own: it asked a model, or called another tool. */
  hasSteps = false
  /** When it was made; it may have waited since. */
  readonly madeAt: number
  readonly #args: unknown
  readonly #keys: CallKeys
  #key: string | undefined

  constructor(tool: string, args: unknown, keys: CallKeys, id?: string, madeAt = keys.moment) {
    this.tool = tool
    this.id = id
    this.madeAt = madeAt
    this.#args = args
    this.#keys = keys
  }

  get key(): string {
    this.#key ??= this.#keys.take(this.tool, this.#args, this.madeAt)
    return this.#key
  }

  get now(): number {
    return this.#keys.moment
  }

  /** For a call that is made again as the one that began with this key, and of which nobody knows how it ended. */
  use(key: string): void {
    if (key === this.#key) return
    this.giveBack()
    this.#key = this.#keys.reserve(key)
  }

  /** For a call that did not run, or whose outcome nobody knows: the model may make it again. */
  giveBack(): void {
    if (this.#key !== undefined) this.#keys.giveBack(this.#key)
  }
}

interface CallConfig {
  readonly configurable?: Record<string, unknown> | undefined
}

/** The config for the tool's own function. */
export function withCall<Config extends CallConfig>(config: Config, call: KeyedCall): Config {
  return { ...config, configurable: { ...config.configurable, [CALL]: call } }
}

/**
 * A key for this call of a tool, for a service that does nothing twice with the same key. A call that is made again because a
 * replica was lost, or because its outcome was unknown, has the same key; any other call has another. At most 45 letters,
 * digits, `-` and `_`.
 *
 * @param runtime the second argument of the tool's function
 *
 * @example
 * const headers = { 'Idempotency-Key': idempotencyKey(runtime) }
 */
export function idempotencyKey(runtime: CallConfig): string {
  // Without one, a test calls it, or a graph without the service.
  return callOf(runtime)?.key ?? new CallKeys().take('', [])
}

/** The tool call to which a config belongs. */
export function callOf({ configurable }: CallConfig): KeyedCall | undefined {
  const call = configurable?.[CALL]
  return call instanceof KeyedCall ? call : undefined
}
