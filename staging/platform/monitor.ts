import { describeValue } from '../../src/http/contract.ts'
import type { AgentClient } from '../agents/agent-client.ts'
import type { Exchange } from '../agents/exchange.ts'
import type { AvailabilityState, HealthCheck } from '../api.ts'
import type { Clock } from '../clock.ts'
import { isObject } from '../json.ts'
import { HEALTH_INTERVAL_MS, HEALTH_TIMEOUT_MS } from '../limits.ts'
import type { Redact } from '../redact.ts'
import type { HealthLog } from '../store/health-log.ts'

/** One failure more, and the agent is unavailable. */
const TOLERATED_FAILURES = 3

/** What the platform thinks of an agent, and why. */
export interface Availability {
  readonly state: AvailabilityState
  readonly since: Date
  readonly cause: string
  readonly failuresInARow: number
  /** What `/health` last said; null before it answered. */
  readonly name: string | null
  readonly lastCheck: HealthCheck | null
}

export interface MonitorOptions {
  readonly health: Pick<HealthLog, 'addCheck' | 'addChange'>
  readonly redact: Redact
  readonly clock: Clock
  readonly onChange: (agentId: string, availability: Availability) => void
  /** Hears of what could not be recorded; the watch goes on. */
  readonly onFault: (error: unknown) => void
}

/**
 * Asks an agent's `/health` every 30 s, for 5 s at most. The fourth failure in a row makes it unavailable, the next
 * success available again; before the first answer its state is unknown. A check begins only when the last one has
 * ended.
 */
export class Monitor {
  readonly #agentId: string
  readonly #client: AgentClient
  readonly #options: MonitorOptions
  readonly #ending = new AbortController()
  #availability: Availability
  #callOff: () => void = () => {}
  #asking: Promise<void> | undefined

  constructor(agentId: string, client: AgentClient, options: MonitorOptions) {
    this.#agentId = agentId
    this.#client = client
    this.#options = options
    this.#availability = {
      state: 'unknown',
      since: options.clock.date(),
      cause: 'the platform has just started',
      failuresInARow: 0,
      name: null,
      lastCheck: null,
    }
  }

  get availability(): Availability {
    return this.#availability
  }

  start(): void {
    const { state, since, cause } = this.#availability
    this.#options.health.addChange(this.#agentId, { at: since.toISOString(), state, cause })
    void this.check()
  }

  /** Asks now, where it is not asking already; resolves when the answer is known. */
  check(): Promise<void> {
    this.#callOff()
    this.#asking ??= this.#check().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  stop(): void {
    this.#ending.abort()
    this.#callOff()
  }

  async #check(): Promise<void> {
    const { clock } = this.#options
    const startedAt = clock.monotonic()
    const at = clock.date()
    const { signal } = this.#ending
    const exchange = await this.#client.health({ timeoutMs: HEALTH_TIMEOUT_MS, signal })
    if (signal.aborted) return
    try {
      this.#conclude(at, exchange)
    } catch (error) {
      this.#options.onFault(error)
    }
    const passed = clock.monotonic() - startedAt
    this.#callOff = clock.after(Math.max(0, HEALTH_INTERVAL_MS - passed), () => void this.check())
  }

  #conclude(at: Date, given: Exchange): void {
    // What the agent says is quoted in part: secrets are taken out before it is cut.
    const exchange = { ...given, json: this.#options.redact.json(given.json) }
    const cause = healthFailure(exchange)
    const check = { at: at.toISOString(), ok: cause === null, latencyMs: exchange.wallMs, cause }
    const before = this.#availability
    const failuresInARow = check.ok ? 0 : before.failuresInARow + 1
    this.#availability = {
      ...before,
      failuresInARow,
      name: nameIn(exchange) ?? before.name,
      lastCheck: check,
    }
    if (cause === null) this.#enter('available', '/health answered')
    else if (failuresInARow > TOLERATED_FAILURES) {
      this.#enter('unavailable', `${failuresInARow} health checks failed in a row, the last one: ${cause}`)
    }
    this.#options.health.addCheck(this.#agentId, check)
  }

  #enter(state: AvailabilityState, cause: string): void {
    if (state === this.#availability.state) return
    const { clock, health, onChange } = this.#options
    const since = clock.date()
    this.#availability = { ...this.#availability, state, since, cause }
    health.addChange(this.#agentId, { at: since.toISOString(), state, cause })
    onChange(this.#agentId, this.#availability)
  }
}

/** Why a check failed, or null: only HTTP 200 with status "ok" is a success. */
function healthFailure({ status, json, failure }: Exchange): string | null {
  if (failure !== null) return failure.message
  if (status !== 200) return `expected HTTP 200, got ${status}`
  const { status: told } = isObject(json) ? json : {}
  return told === 'ok' ? null : `status: expected "ok", got ${describeValue(told)}`
}

function nameIn({ json }: Exchange): string | null {
  const { agent_name: name } = isObject(json) ? json : {}
  return typeof name === 'string' ? name.slice(0, 200) : null
}
