import { type Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { z } from 'zod'
import { isSameServer } from '../agents/loopback.ts'
import {
  type AgentView,
  MAX_TIMES,
  RUN_SORTS,
  RUN_SPANS,
  RUN_STATUSES,
  type RunFigures,
  type RunPage,
  type RunRecord,
} from '../api.ts'
import type { CheckOptions } from '../checks/options.ts'
import { postedReport } from '../report-shape.ts'
import type { Acceptance } from './acceptance.ts'
import type { Agent, Common } from './common.ts'
import { type ExportFormat, exported, FORMATS } from './run-export.ts'
import type { RunsUnderway } from './staging-route/runs.ts'

interface ApiOptions {
  readonly agents: readonly Agent[]
  readonly examples: readonly string[]
  readonly agentOf: (c: Context) => Agent
  readonly runs: RunsUnderway
  readonly acceptance: Acceptance
  readonly checkOptionsFor: (agent: Agent) => CheckOptions
}

const DEFAULT_PAGE = 50
const MAX_PAGE = 200
const MAX_TEXT_LENGTH = 200

const positive = z.coerce.number().int().min(1)
const instant = z.iso
  .datetime({ offset: true, error: 'expected a time like 2026-03-14T15:00:00Z' })
  .transform(text => new Date(text).toISOString())
  .optional()
const filterQuery = z.object({
  agent: z.string().optional(),
  /** Who made the runs. */
  by: z.enum(['person', 'checks', 'anyone']).default('anyone'),
  check: positive.optional(),
  status: z.enum(RUN_STATUSES).optional(),
  text: z.string().max(MAX_TEXT_LENGTH).optional(),
  from: instant,
  to: instant,
  /** In place of both. */
  last: z.enum(RUN_SPANS).optional(),
  like: positive.optional(),
})
const sort = z.enum(RUN_SORTS).default('newest')
const runQuery = filterQuery.extend({
  sort,
  after: positive.optional(),
  before: positive.optional(),
  limit: positive.max(MAX_PAGE).default(DEFAULT_PAGE),
})
const exportQuery = filterQuery.extend({
  sort,
  format: z.enum(Object.keys(FORMATS) as [ExportFormat, ...ExportFormat[]]),
})

/** The platform's API; its shapes are in `api.ts`. */
export function apiRoutes(options: ApiOptions, { store, redact }: Common): Hono {
  const { agents, examples, agentOf, runs, acceptance, checkOptionsFor } = options
  const api = new Hono()
  const viewOf = ({ id, client, monitor, replicas }: Agent) => {
    const { cause: _, ...availability } = monitor.availability
    const checks = { checking: acceptance.idOf(id), checked: store.checks.finishedOf(id) }
    const runs = { underway: options.runs.idsOf(id), hasReplicas: replicas !== undefined }
    const view: AgentView = { id, url: client.url, ...availability, ...runs, ...checks }
    return redact.json(view)
  }
  const recordOf = (id: number): RunRecord => {
    const record = found(store.runs.get(id), `no run with number ${id}`)
    const { leftOf, modelInputsOf, soFar } = runs
    return { ...soFar(record), repeatsLeft: leftOf(record), modelInputs: modelInputsOf(id) }
  }
  const checkOf = (id: number) => found(redact.json(acceptance.get(id)), `no checks with number ${id}`)

  api.get('/agents', c => c.json({ agents: agents.map(viewOf), loss: store.loss }))
  api.get('/examples', c => c.json({ examples }))
  api.post('/agents/:agent_id/health', async c => {
    const polled = agentOf(c)
    await polled.monitor.poll()
    return c.json(viewOf(polled))
  })
  api.post('/agents/:agent_id/runs', async c => {
    const agent = agentOf(c)
    const { times } = parse(z.object({ times: positive.max(MAX_TIMES).default(1) }), c)
    const id = runs.beginAlone(agent, new Uint8Array(await c.req.arrayBuffer()), times)
    return c.json(recordOf(id), 202)
  })
  api.get('/agents/:agent_id/checks', c => c.json({ checks: store.checks.list(agentOf(c).id) }))
  api.post('/agents/:agent_id/checks', c => {
    const checked = agentOf(c)
    return c.json(acceptance.begin(checked.id, checkOptionsFor(checked)), 202)
  })
  api.get('/checks', c => c.json({ checks: store.checks.list() }))
  api.post('/checks', async c => {
    const report = accepted(postedReport.safeParse(await c.req.json().catch(() => undefined)))
    const known = agents.find(({ client }) => isSameServer(client.url, report.url))
    return c.json(store.checks.addReport(known?.id ?? report.url, report), 201)
  })
  api.get('/checks/:id', c => c.json(checkOf(idOf(c))))
  api.post('/checks/:id/stop', async c => {
    const id = idOf(c)
    await acceptance.cancel(id)
    return c.json(checkOf(id))
  })
  api.get('/runs', c => {
    const { limit, ...query } = withinSpan(parse(runQuery, c))
    const { after, before } = query
    const listed = store.runs.list({ ...query, limit: limit + 1 })
    const isMore = listed.length > limit
    const page = before === undefined ? listed.slice(0, limit) : listed.slice(-limit)
    // Where the page came from, there is one.
    const hasNext = before === undefined ? isMore : page.length > 0
    const hasPrevious = before === undefined ? after !== undefined && page.length > 0 : isMore
    return c.json({
      runs: page.map(runs.soFar),
      next: hasNext ? page.at(-1)!.id : null,
      previous: hasPrevious ? page[0]!.id : null,
    } satisfies RunPage)
  })
  api.get('/runs/figures', async c => {
    const figures: RunFigures = await store.runs.figures(withinSpan(parse(filterQuery, c)))
    return c.json(figures)
  })
  api.get('/runs/export', c => {
    const { format, ...query } = withinSpan(parse(exportQuery, c))
    const name = `runs-${new Date().toISOString().slice(0, 16).replace('T', '-').replace(':', '')}.${format}`
    c.header('Content-Type', FORMATS[format].type)
    c.header('Content-Disposition', `attachment; filename="${name}"`)
    return c.body(exported(store.runs.whole(query), format))
  })
  api.get('/runs/:id', c => c.json(recordOf(idOf(c))))
  api.post('/runs/:id/cancel', async c => {
    const id = idOf(c)
    await runs.cancel(id)
    return c.json(recordOf(id))
  })
  api.post('/runs/:id/stop-replica', async c => {
    const id = idOf(c)
    const { agentId } = recordOf(id)
    if (acceptance.idOf(agentId) !== null)
      throw new HTTPException(409, {
        message: `expected no acceptance checks of ${agentId} in progress, got some`,
      })
    const { lost } = parse(z.object({ lost: z.coerce.number().int().min(0).optional() }), c)
    await runs.stopReplica(id, lost)
    return c.json(recordOf(id))
  })
  return api
}

const MINUTE_MS = 60_000
const SPAN_MINUTES = { '1h': 60, '24h': 24 * 60, '7d': 7 * 24 * 60, '30d': 30 * 24 * 60 } as const

/** Which runs a query means now; to the minute, so that a poll within it finds the figures computed. */
function withinSpan<Query extends Partial<z.output<typeof filterQuery>>>(query: Query) {
  const { by, last, ...filter } = query
  const nextMinute = (Math.floor(Date.now() / MINUTE_MS) + 1) * MINUTE_MS
  const at = (ms: number) => new Date(ms).toISOString()
  return {
    ...filter,
    byChecks: by === 'anyone' ? undefined : by === 'checks',
    ...(last && { from: at(nextMinute - (SPAN_MINUTES[last] + 1) * MINUTE_MS), to: at(nextMinute) }),
  }
}

function idOf(c: Context): number {
  return parse(z.object({ id: positive }), c, c.req.param()).id
}

/** @throws {HTTPException} 400 listing every wrong parameter; blank counts as absent */
function parse<Schema extends z.ZodObject>(
  schema: Schema,
  c: Context,
  parameters: Readonly<Record<string, string>> = c.req.query(),
): z.output<Schema> {
  const present = Object.entries(parameters).filter(([, value]) => value !== '')
  return accepted(schema.safeParse(Object.fromEntries(present)))
}

function accepted<Value>(parsed: z.ZodSafeParseResult<Value>): Value {
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new HTTPException(400, { message: wrong.join('; ') })
}

function found<Value>(value: Value | undefined, missing: string): Value {
  if (value === undefined) throw new HTTPException(404, { message: missing })
  return value
}
