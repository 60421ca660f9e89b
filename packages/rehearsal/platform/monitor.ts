import { describeValue } from '@agent-task-service/wire/contract'
import type { AgentClient } from '../agents/agent-client.ts'
import type { Exchange } from '../agents/exchange.ts'
import type { AgentView, AvailabilityState } from '../api.ts'
import { isObject } from '../json.ts'
import { HEALTH_INTERVAL_MS, HEALTH_TIMEOUT_MS } from '../limits.ts'
import type { Redact } from '../redact.ts'

/** One more failure, and the agent is unavailable. */
const TOLERATED_FAILURES = 3
/** Two hours of polls. */
const MAX_POLLS = 240

/** Whether the platform considers an agent available, and why. */
type Availability = Omit<AgentView, 'id' | 'url' | 'hasReplicas' | 'underway' | 'checking' | 'checked'> & {
  readonly cause: string
}

export interface MonitorParts {
  readonly redact: Redact
  readonly onChange: (agentId: string, availability: Availability) => void
}

export type Monitor = ReturnType<typeof monitor>

/**
 * Polls an agent's `/health` every 30 s, for at most 5 s. The fourth failure in a row makes it unavailable, the next
 * success makes it available again; before the first answer its state is unknown. A poll starts only after the last one has ended.
 */
export function monitor(agentId: string, client: AgentClient, { redact, onChange }: MonitorParts) {
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let asking: Promise<void> | undefined
  let availability: Availability = {
    state: 'unknown',
    since: new Date().toISOString(),
    cause: 'the platform just started',
    failuresInARow: 0,
    name: null,
    polls: [],
  }

  /** Polls now, unless a poll is already running; resolves when the answer is known. */
  function poll(): Promise<void> {
    clearTimeout(timer)
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }

  async function ask(): Promise<void> {
    const startedAt = performance.now()
    const at = new Date()
    const { signal } = ending
    const exchange = await client.health({ timeoutMs: HEALTH_TIMEOUT_MS, signal })
    if (signal.aborted) return
    conclude(at, exchange)
    const passed = performance.now() - startedAt
    timer = setTimeout(() => void poll(), Math.max(0, HEALTH_INTERVAL_MS - passed))
  }

  function conclude(at: Date, received: Exchange): void {
    // Quotes part of the agent's reply, so secrets are removed before cutting.
    const exchange = { ...received, json: redact.json(received.json) }
    const cause = healthFailure(exchange)
    const poll = { at: at.toISOString(), ok: cause === null, latencyMs: exchange.wallMs, cause }
    const polls = [...availability.polls, poll].slice(-MAX_POLLS)
    const failuresInARow = poll.ok ? 0 : availability.failuresInARow + 1
    const name = nameIn(exchange) ?? availability.name
    availability = { ...availability, failuresInARow, name, polls }
    if (cause === null) enter('available', '/health answered')
    else if (failuresInARow > TOLERATED_FAILURES) {
      enter('unavailable', `${failuresInARow} polls of /health failed in a row, the last one: ${cause}`)
    }
  }

  function enter(state: AvailabilityState, cause: string): void {
    if (state === availability.state) return
    availability = { ...availability, state, since: new Date().toISOString(), cause }
    onChange(agentId, availability)
  }

  return {
    get availability() {
      return availability
    },
    start(): void {
      void poll()
    },
    poll,
    stop(): void {
      ending.abort()
      clearTimeout(timer)
    },
  }
}

/** Why a poll failed, or null: only HTTP 200 with status "ok" is a success. */
function healthFailure({ status, json, failure }: Exchange): string | null {
  if (failure !== null) return failure.message
  if (status !== 200) return `expected HTTP 200, got ${status}`
  const reported = isObject(json) ? json.status : undefined
  return reported === 'ok' ? null : `status: expected "ok", got ${describeValue(reported)}`
}

function nameIn({ json }: Exchange): string | null {
  return isObject(json) && typeof json.agent_name === 'string' ? json.agent_name.slice(0, 200) : null
}
