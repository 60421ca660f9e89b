import { rmSync, writeFileSync } from 'node:fs'
import {
  AGENT_LOG,
  isOwnAddress,
  ownAgentId,
  type Planted,
  plantSecrets,
  startOwnAgent,
  TOKEN_FILE,
} from '../agents/own-agent.ts'
import { startRedis } from '../agents/redis-server.ts'
import { startReplicas } from '../agents/replicas.ts'
import type { AgentTarget } from '../agents/start-agent.ts'
import { runChecks } from '../checks/run-checks.ts'
import { type Environment, StartError, UsageError } from '../command-line.ts'
import { onEndSignal } from '../end-signal.ts'
import { createRedact, secretsIn } from '../redact.ts'
import { announce } from '../running-platform.ts'
import { openStore } from '../store/store.ts'
import { readTasks, TaskFileError } from '../tasks/read-tasks.ts'
import { readOptions, USAGE } from './options.ts'
import { buildPages } from './pages.ts'
import { createPlatform, examplesOf } from './platform.ts'
import { listen } from './server.ts'
import { welcome } from './welcome.ts'

const EXIT_USAGE = 64

/**
 * Runs the platform's process: reads its options, starts this project's agent unless one with its id or address is named, and
 * listens. On a signal to end lets runs finish; on a second one exits immediately. Only this file and `end-signal.ts` exit.
 *
 * @param args the arguments after the program's name
 * @param replica a program that serves this project's agent on a port, and its arguments, to which the port is added
 */
export async function runPlatform(
  args: readonly string[],
  env: Environment,
  replica: readonly string[],
): Promise<void> {
  let end = (): void => process.exit(1)
  onEndSignal(() => end())
  try {
    end = await start(env, args, replica)
  } catch (error) {
    complain(explain(error))
    process.exit(error instanceof UsageError || error instanceof TaskFileError ? EXIT_USAGE : 1)
  }
}

/** @returns the signal handler to use from then on */
async function start(
  env: Environment,
  args: readonly string[],
  replica: readonly string[],
): Promise<() => void> {
  const options = readOptions(args, env)
  if (options.help) {
    say(USAGE)
    process.exit(0)
  }
  const tasks = options.tasksFiles.length === 0 ? undefined : await readTasks(...options.tasksFiles)
  const isOwn = ({ id, url }: AgentTarget) => id === ownAgentId(env) || isOwnAddress(url)
  const isNamed = options.agents.some(isOwn)
  if (isNamed && options.replicas)
    throw new UsageError(["--replicas: expected no agent in this project's own place, got one"])
  const hasRedis = env.REDIS_URL?.trim() || env.REDIS_URL_FILE?.trim()
  const redis = options.replicas && !hasRedis ? await startRedis(env) : undefined
  const added = { STREAM_MODEL_INPUT: 'true', ...env, ...(redis && { REDIS_URL: redis.url }) }
  const planted = isNamed ? undefined : plantSecrets(added)
  const tokens = options.agents.flatMap(({ token }) => token ?? [])
  const inEnvironment = [...secretsIn(env).values(), ...(planted?.secrets.values() ?? [])].flatMap(value => [
    value,
    ...value.split(','),
  ])
  const redact = createRedact([options.token, ...tokens, ...inEnvironment])
  const store = openStore(options.databaseFile, redact, loss => complain(redact.text(loss)))
  const [ownAgent, pages] = await Promise.all([
    planted &&
      startOwn(planted, options.replicas, replica).catch((error: unknown) => {
        if (options.agents.length === 0 || !(error instanceof StartError)) throw error
        complain(`this project's agent is not started: ${error.message}`)
        return undefined
      }),
    buildPages(),
  ])
  if (ownAgent) {
    writeFileSync(TOKEN_FILE, ownAgent.token ?? '', { mode: 0o600 })
    process.once('exit', () => rmSync(TOKEN_FILE, { force: true }))
  }
  // One's own comes first wherever agents are listed.
  const agents: readonly AgentTarget[] = [...options.agents, ...(ownAgent ? [ownAgent] : [])].toSorted(
    (one, other) => Number(isOwn(other)) - Number(isOwn(one)),
  )
  let url = ''
  const platform = createPlatform({
    agents,
    token: options.token,
    tasks,
    store,
    redact,
    runChecks,
    pages,
    ownUrl: () => url,
    onChange: (agentId, { state, cause }) => say(redact.text(`${agentId} is ${state}: ${cause}`)),
    onFault: error => complain(redact.text(`fault: ${error instanceof Error ? error.stack : error}`)),
  })
  const server = await listen(platform.app, options.port)
  url = server.url
  announce(options.databaseFile, url)
  platform.start()
  say(welcome(url, options, agents, examplesOf(tasks)[0], ownAgent && AGENT_LOG))

  const end = async () => {
    await platform.drain()
    await server.close()
    await platform.stop()
    await ownAgent?.end()
    await redis?.end()
    store.close()
    process.exit(0)
  }
  return () => {
    say('stopping: runs in progress may finish; a second signal stops them')
    void end()
  }
}

/** @param count of replicas; undefined: one process on its own port */
async function startOwn(planted: Planted, count: number | undefined, replica: readonly string[]) {
  if (count !== undefined)
    return await startReplicas(planted, { count, command: replica, logFile: AGENT_LOG, tell: complain })
  const { process, ...agent } = await startOwnAgent(planted)
  let isEnding = false
  void process.ended.then(async how => {
    if (!isEnding) complain(`${agent.id} exited: ${how}. Its last lines: ${await process.lastWords()}`)
  })
  const end = async () => {
    isEnding = true
    await process.end()
  }
  return { ...agent, end }
}

/** One line for problems that the user can fix; a stack for all others. */
function explain(error: unknown): string {
  const isTold = [UsageError, TaskFileError, StartError].some(kind => error instanceof kind)
  if (isTold) return (error as Error).message
  return `cannot start: ${error instanceof Error ? error.stack : error}`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`)
}
