import type { HealthResponse } from '@agent-task-service/wire/contract'
import type { Context, MiddlewareHandler } from 'hono'
import { EdgeError } from '../replies/errors.ts'

/** Whether the service accepts work; `draining` is set when it is told to stop. */
export interface Lifecycle {
  draining: boolean
}

/** `GET /health`: 200 while the agent accepts work, busy or not; 503 while it drains. Calls nothing, logs nothing. */
export function getHealth(agent: { readonly id: string; readonly name: string }, lifecycle: Lifecycle) {
  const identity = { agent_id: agent.id, agent_name: agent.name }
  return (c: Context): Response => {
    const { draining } = lifecycle
    const body: HealthResponse = { status: draining ? 'draining' : 'ok', ...identity }
    return c.json(body, draining ? 503 : 200)
  }
}

/** Turns new tasks away while the service drains. */
export function refuseWhenDraining(lifecycle: Lifecycle): MiddlewareHandler {
  return (_c, next) => {
    if (lifecycle.draining) throw new EdgeError('draining', '', { 'Retry-After': '5' })
    return next()
  }
}
