import { errorResponse } from '@agent-task-service/wire/contract'
import type { Mask } from '@agent-task-service/wire/masking'
import { truncate } from '@agent-task-service/wire/untrusted'
import { Hono, type MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Config } from '../config/config.ts'
import type { GraphRunner } from '../graph/invoke-graph.ts'
import type { Log } from '../log/log.ts'
import { EdgeError, full } from '../replies/errors.ts'
import { fairShare } from '../run/fair-share.ts'
import type { Observer } from '../run/observer.ts'
import { Admission } from '../tasks/admission.ts'
import { dayCost } from '../tasks/day-cost.ts'
import { MAX_CALLERS, Tasks } from '../tasks/join-and-replay.ts'
import type { Ledger } from '../tasks/ledger.ts'
import { MemoryLedger } from '../tasks/memory-ledger.ts'
import { createRunTask, taskIdForLog } from '../tasks/run-task.ts'
import type { Telemetry } from '../telemetry/start-telemetry.ts'
import { bearerAuth } from './auth.ts'
import { readBody, requireJson, validateRun } from './body.ts'
import type { EdgeEnv } from './env.ts'
import { getHealth, type Lifecycle, refuseWhenDraining } from './health.ts'
import { postRun } from './run.ts'

/** Longest path in the log, in characters. */
const MAX_PATH_LENGTH = 100

/** Everything the HTTP edge needs. */
interface AppOptions {
  readonly config: Config
  readonly runner: GraphRunner
  /** Present names of tools by former ones. */
  readonly renamedTools?: ReadonlyMap<string, string> | undefined
  readonly log: Log
  readonly mask: Mask
  /** Absent: requests are not observed. */
  readonly telemetry?: Pick<Telemetry, 'observers' | 'fleet'> | undefined
  /** Absent: tasks are not shared with other processes. */
  readonly ledger?: Ledger | undefined
}

export interface App {
  /** The HTTP edge, without a socket: `app.request()` in tests, `app.fetch` for a server. */
  readonly app: Hono<EdgeEnv>
  readonly tasks: Tasks
  readonly lifecycle: Lifecycle
}

/** Builds the HTTP edge: a task passes authentication, checks of its body, its run and its reply, in this order. */
export function createApp(options: AppOptions): App {
  const { config, runner, log, mask, telemetry, ledger } = options
  const lifecycle: Lifecycle = { draining: false }
  const admission = new Admission(config.maxConcurrentRuns, config.maxQueuedRuns)
  const logForgotten = (taskId: string) =>
    log.warn({ task_id: taskIdForLog(taskId) }, 'effects forgotten: too many failed tasks have had some')
  const { maxDayCostUsd: limitUsd } = config
  const runTask = createRunTask({
    ...{ runner, admission, log, mask, fleet: telemetry?.fleet },
    dayCost: limitUsd === undefined ? undefined : dayCost(limitUsd, log, ledger),
    errorMetrics: config.errorMetrics,
  })
  const tasks = new Tasks({
    runTask,
    admission,
    ledger: ledger ?? new MemoryLedger(config.replayTtlMs, logForgotten),
    limits: config.limits,
    mask,
    runner,
  })
  const app = new Hono<EdgeEnv>()

  app.use(async (c, next) => {
    c.set('arrivedAt', performance.now())
    await next()
  })
  if (telemetry && telemetry.observers.length > 0) app.use(observeRequests(telemetry.observers))
  app.get('/health', getHealth(config.agent, lifecycle))
  app.post(
    '/run',
    bearerAuth(config.tokens),
    refuseWhenDraining(lifecycle),
    refuseWhenCrowded,
    requireJson,
    readBody(config.maxBodyBytes, runner.context),
    takeTurn(admission, config.maxConcurrentRuns + config.maxQueuedRuns + MAX_CALLERS),
    validateRun(runner, options.renamedTools, log),
    // Again, since draining may have begun while the body arrived: the grace period might cut off a run started now.
    refuseWhenDraining(lifecycle),
    postRun(tasks, log, telemetry?.fleet),
  )
  app.all('/health', () => refuseMethod('GET, HEAD'))
  app.all('/run', () => refuseMethod('POST'))
  app.notFound(() => {
    throw new EdgeError('not_found')
  })
  app.onError((thrown, c) => {
    const error = toEdgeError(thrown)
    // Truncated last: half a secret would not be recognised.
    const path = truncate(mask.external(c.req.path), MAX_PATH_LENGTH)
    if (error.code === 'internal') log.error({ path, err: thrown }, 'request')
    else log.info({ path, ...c.get('caller'), status: error.status, reason: error.code }, 'refused')
    const body =
      c.req.path === '/run' ? errorResponse('', mask(error.message)) : { error: mask(error.message) }
    return c.json(body, error.status, error.headers)
  })
  return { app, tasks, lifecycle }
}

/**
 * Takes a burst of tasks a few per turn of the event loop, so that a health check need not wait for all of them. A full
 * service skips this: refusing is cheap and should be quick.
 *
 * @param maxWaiting tasks that may wait for their turn
 */
function takeTurn(admission: Admission, maxWaiting: number): MiddlewareHandler {
  let waiting = 0
  return async (_c, next) => {
    if (!admission.isFull) {
      if (waiting >= maxWaiting) throw full()
      waiting += 1
      await fairShare('fresh')
      waiting -= 1
    }
    await next()
  }
}

/** Turns a task away for which there is no connection to spare. */
const refuseWhenCrowded: MiddlewareHandler<EdgeEnv> = (c, next) => {
  if (c.env?.isFull) throw full()
  return next()
}

function refuseMethod(allow: string): never {
  throw new EdgeError('method_not_allowed', `allowed: ${allow}`, { Allow: allow })
}

function toEdgeError(thrown: unknown): EdgeError {
  if (thrown instanceof EdgeError) return thrown
  if (thrown instanceof HTTPException && thrown.status === 400) return new EdgeError('not_json')
  return new EdgeError('internal')
}

/** Tells observers of each request, from its arrival to the last byte of its reply. */
function observeRequests(observers: readonly Observer[]): MiddlewareHandler<EdgeEnv> {
  return async (c, next) => {
    const { method, headers } = c.req.raw
    const request = { method, headers, path: c.req.path, arrivedAt: c.get('arrivedAt') }
    const observed = observers.map(observer => observer.request(request))
    c.set('observed', observed)
    const end = (status: number | undefined) => {
      for (const each of observed) each.end(status)
    }
    const outgoing = c.env?.outgoing
    // If it closes before the whole reply is written, the caller hung up.
    outgoing?.once('close', () => end(outgoing.writableFinished ? outgoing.statusCode : undefined))
    if (outgoing) return await next()
    // No socket: a program calls the application directly.
    try {
      await next()
      end(c.res.status)
    } catch (thrown) {
      end(thrown instanceof EdgeError ? thrown.status : 500)
      throw thrown
    }
  }
}
