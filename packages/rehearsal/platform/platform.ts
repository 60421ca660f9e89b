import { describeValue, errorResponse } from '@agent-task-service/wire/contract'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { HTTPException } from 'hono/http-exception'
import { AgentClient } from '../agents/agent-client.ts'
import { type LogSource, logFile } from '../agents/log-sources.ts'
import type { AgentTarget } from '../agents/start-agent.ts'
import type { CheckedRun } from '../checks/session/replies.ts'
import type { TaskFile } from '../tasks/task.ts'
import { acceptance as acceptanceOf, type RunChecks } from './acceptance.ts'
import { apiRoutes } from './api-routes.ts'
import type { Agent, Common } from './common.ts'
import { noStore, protect, refuseOtherSites, requireToken } from './guards.ts'
import { monitor } from './monitor.ts'
import type { Page } from './pages.ts'
import { toResponse } from './staging-route/answer.ts'
import { logLines } from './staging-route/log-lines.ts'
import { PLATFORM_FAILED } from './staging-route/outcome.ts'
import { checkedRuns, runRoute } from './staging-route/run-route.ts'
import { runsUnderway } from './staging-route/runs.ts'

/** Largest request, in bytes. The contract sets no limit; refusing large requests is up to the agent. */
const MAX_BODY_BYTES = 8 * 2 ** 20

/** The requests that begin a run or checks. */
const BEGINNINGS = [
  '/staging/agents/:agent_id/run',
  '/api/agents/:agent_id/runs',
  '/api/agents/:agent_id/checks',
]

/** Tasks that need neither an API key nor a network. */
const SHIPPED = [
  'What is 15% of 240?',
  'How many kilometres are 26.2 miles?',
  'What day of the week was 4 July 1776?',
  'What time is it in Tokyo when it is noon in Lisbon?',
] as const

/** Takes some seconds without a language model too: time to stop a replica under it. */
const LONG = [
  'Seven computations, one after another:',
  ...[1, 2, 3, 4, 5, 6, 7].map(
    n => `Use code with {"code": "for (const end = Date.now() + 700; Date.now() < end;); ${n}"}`,
  ),
].join('\n')

export interface PlatformParts
  extends Pick<Common, 'store' | 'redact'>,
    Partial<Omit<Common, 'store' | 'redact'>> {
  readonly agents: readonly AgentTarget[]
  /** The staging token. */
  readonly token: string
  readonly runChecks: RunChecks
  /** What the acceptance checks ask; absent: the tasks that ship. */
  readonly tasks?: TaskFile | undefined
  /** The dashboard's files by path; absent: no dashboard. */
  readonly pages?: ReadonlyMap<string, Page> | undefined
  /** Where the platform itself listens, for the acceptance checks. */
  readonly ownUrl?: () => string
}

/** Builds the platform: the staging route, the API that the dashboard reads, and the dashboard. */
export function createPlatform(parts: PlatformParts) {
  const { token, store, redact, onChange = () => {}, onFault = () => {} } = parts
  const common: Common = { store, redact, onChange, onFault }
  const agents = parts.agents.map((target): Agent => {
    const client = new AgentClient(target)
    const fromNow = logOf(target)
    const lines = fromNow && logLines(fromNow)
    return { ...target, client, monitor: monitor(target.id, client, common), lines }
  })
  const acceptance = acceptanceOf(parts.runChecks, common)
  const runs = runsUnderway(common)
  const run = runRoute(runs, acceptance)
  const recordChecked = checkedRuns(common, acceptance)
  let isDraining = false

  function agentOf(c: Context): Agent {
    const id = c.req.param('agent_id') ?? ''
    const agent = agents.find(one => one.id === id)
    if (agent !== undefined) return agent
    const known = agents.map(one => one.id).join(', ')
    throw new HTTPException(404, { message: `agent: expected one of ${known}, got ${describeValue(id)}` })
  }

  function checkOptionsFor(agent: Agent) {
    const { id, client, token: own, log, image } = agent
    const { start } = agent.replicas?.current ?? agent
    const platform = parts.ownUrl && { url: parts.ownUrl(), token, agentId: id }
    const source = log === undefined ? undefined : logFile(log)
    const recordRun = (run: CheckedRun) => recordChecked(agent, run)
    const { tasks } = parts
    const agentGiven = { url: client.url, token: own, agentId: id, start, image, log: source }
    return { ...agentGiven, tasks, platform, recordRun, askedBy: 'dashboard' as const }
  }

  const app = new Hono()
  app.use(protect)
  app.use(refuseOtherSites)
  app.use('/staging/*', requireToken(token))
  app.use('/staging/*', noStore)
  app.use('/api/*', noStore)
  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw new HTTPException(413, { message: `body: expected at most ${MAX_BODY_BYTES} bytes, got more` })
      },
    }),
  )
  app.on('POST', BEGINNINGS, async (_c, next) => {
    if (isDraining) throw new HTTPException(503, { message: 'the platform is stopping and begins nothing' })
    await next()
  })
  app.post('/staging/agents/:agent_id/run', c => run(c, agentOf(c)))
  app.all('/staging/agents/:agent_id/run', c =>
    errorReply(c, 405, 'method: expected POST', { Allow: 'POST' }),
  )
  const examples = examplesOf(
    parts.tasks,
    agents.some(({ replicas }) => replicas !== undefined),
  )
  app.route('/api', apiRoutes({ agents, examples, agentOf, runs, acceptance, checkOptionsFor }, common))
  for (const [path, { body, type }] of parts.pages ?? []) {
    app.get(path, c => c.body(body, 200, { 'Content-Type': type, 'Cache-Control': 'no-cache' }))
  }
  app.notFound(c =>
    errorReply(c, 404, `path: expected one of the platform's, got ${describeValue(c.req.path)}`),
  )
  app.onError((error, c) => {
    if (error instanceof HTTPException) {
      const { status, message, res } = error
      return errorReply(c, status, redact.text(message), Object.fromEntries(res?.headers ?? []))
    }
    if (!c.req.raw.signal.aborted) onFault(error)
    return errorReply(c, 500, PLATFORM_FAILED)
  })

  return {
    /** Without a socket: `app.request()` in tests, `app.fetch` for a server. */
    app,
    start() {
      for (const { monitor } of agents) monitor.start()
    },
    /** Aborts acceptance checks, then begins nothing; resolves when no run is in progress. Runs can still be cancelled. */
    async drain() {
      // First: they send tasks to the platform itself.
      await acceptance.stop()
      isDraining = true
      await runs.ended()
    },
    /** Stops monitoring, aborts acceptance checks, and hangs up on agents that still run a task. */
    async stop() {
      for (const { monitor } of agents) monitor.stop()
      await Promise.all([acceptance.stop(), runs.stop()])
      await Promise.all(agents.map(({ lines }) => lines?.stop()))
    },
  }
}

/** Tasks to try first, at least one: the first of those that the checks ask, if they are the agent's own. */
export function examplesOf(tasks: TaskFile | undefined, hasReplicas = false): readonly [string, ...string[]] {
  const own = (tasks?.tasks ?? []).filter(({ config }) => config === undefined).map(({ input }) => input)
  const [first = SHIPPED[0], ...others] = own.length > 0 ? own.slice(0, SHIPPED.length) : SHIPPED
  return [first, ...others, ...(hasReplicas ? [LONG] : [])]
}

/** What an agent logs from now on; undefined if its log is unknown. */
function logOf({ log, ...agent }: AgentTarget): (() => LogSource) | undefined {
  if (log !== undefined) return () => logFile(log)
  // Of replicas, one has the log of all.
  const { start } = agent.replicas?.current ?? agent
  if (start === undefined) return undefined
  return () => {
    const before = start.log.read().then(({ length }) => length)
    return { name: start.log.name, read: async () => (await start.log.read()).slice(await before) }
  }
}

/** Gives every reply on the staging route the shape of a run response, so that one parser is enough. */
function errorReply(
  c: Context,
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  if (c.req.path.startsWith('/staging/')) return toResponse(status, errorResponse('', error), headers)
  return Response.json({ error }, { status, headers })
}
