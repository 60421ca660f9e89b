import type { AgentDefinition } from '@agent-task-service/engine'
import { readConfig } from '@agent-task-service/engine/config'
import { createService } from '@agent-task-service/engine/service'
import {
  AgentClient,
  HEALTH_TIMEOUT_MS,
  RUN_TIMEOUT_MS,
  runViolations,
} from '@agent-task-service/rehearsal/agents'
import { type Environment, UsageError } from '@agent-task-service/rehearsal/command-line'
import type { RunRequest } from '@agent-task-service/wire/contract'
import { isObject, type JsonObject, membersOf, parseJson } from '@agent-task-service/wire/untrusted'
import { createParser } from 'eventsource-parser'
import type { EvaluationOptions } from './options.ts'
import type { JudgedRun } from './report.ts'

/** The result of one run. */
interface VariantReply {
  readonly body: JsonObject
  /** How it violates the interface; if it does, the answer is not judged. */
  readonly broken: string[]
  readonly wallMs: number
  readonly cost: JudgedRun['cost']
}

type LoadAgent = () => Promise<AgentDefinition>

/** One contestant: a model or an agent, with a prompt. */
export interface Variant {
  readonly name: string
  run(request: RunRequest): Promise<VariantReply>
}

/**
 * Creates the variants that the options select: each agent or model with each prompt.
 *
 * @param running closes the agents that are started
 * @throws {SetupError} if the environment is not valid
 * @throws {UsageError} for a model that would not be used, or an agent that does not answer
 */
export async function createVariants(
  loadAgent: LoadAgent,
  { urls, token, models, prompts }: Pick<EvaluationOptions, 'urls' | 'token' | 'models' | 'prompts'>,
  env: Environment,
  running: AsyncDisposableStack,
): Promise<readonly Variant[]> {
  const overUrls = urls.map(url => overHttp(url, token))
  const withModels = models.map(model => inProcess(running, loadAgent, { ...env, MODEL: model }, model))
  const variants = await Promise.all([...overUrls, ...withModels])
  if (variants.length === 0) variants.push(await inProcess(running, loadAgent, env))
  if (prompts.length === 0) return variants
  return variants.flatMap(one =>
    prompts.map(({ name, text }) => ({
      name: variants.length > 1 ? `${one.name}, ${name}` : name,
      run: request => one.run({ ...request, config: { system_prompt: text, ...request.config } }),
    })),
  )
}

async function overHttp(url: string, token: string | undefined): Promise<Variant> {
  const client = new AgentClient({ url, token })
  const { failure } = await client.health({ timeoutMs: HEALTH_TIMEOUT_MS })
  if (failure !== null) {
    throw new UsageError([
      `--url: expected an agent that answers ${client.url}/health, got: ${failure.message}`,
    ])
  }
  return variantOf(client, url)
}

/** An agent in this process, without a log. */
async function inProcess(
  running: AsyncDisposableStack,
  loadAgent: LoadAgent,
  env: Environment,
  name?: string,
): Promise<Variant> {
  const agent = await loadAgent()
  const config = readConfig({ ...env, AGENT_TOKENS: '', AGENT_TOKENS_FILE: '' }, agent)
  if (name !== undefined && config.model.provider === 'offline')
    throw new UsageError(['--model: expected a provider, got MODEL_PROVIDER=offline'])
  const { app, close } = await createService(agent, config, { write: () => undefined })
  running.defer(close)
  const fetch = async (url: string | URL | Request, init?: RequestInit) => await app.request(url, init)
  const client = new AgentClient({ url: 'http://in-process', fetch })
  return variantOf(client, name ?? (config.model.provider === 'offline' ? 'offline' : (env.MODEL ?? 'agent')))
}

function variantOf(client: AgentClient, name: string): Variant {
  // Events tell what a run cost. An agent may have others than this project's.
  let accept = 'text/event-stream, application/json'
  async function run(request: RunRequest): Promise<VariantReply> {
    const received = await client.run(request, { timeoutMs: RUN_TIMEOUT_MS, headers: { accept } })
    const isStream = /^text\/event-stream\b/i.test(received.headers['content-type'] ?? '')
    const last = isStream ? lastEventIn(received.body) : undefined
    if (isStream && last === undefined && received.failure === null && accept !== 'application/json') {
      accept = 'application/json'
      return await run(request)
    }
    const headers = { ...received.headers, 'content-type': 'application/json' }
    const exchange = last ? { ...received, headers, json: last.response } : received
    const { status, json, wallMs } = exchange
    const broken = runViolations(exchange, { taskId: request.task_id })
    const body = membersOf(json)
    const error = 'error' in body ? `: ${body.error}` : ''
    if (broken.length === 0 && status !== 200) broken.push(`the agent answered HTTP ${status}${error}`)
    return { body, broken, wallMs, cost: costIn(last) }
  }
  return { name, run }
}

/** The data of `run_finished`. */
function lastEventIn(stream: string): JsonObject | undefined {
  let last: JsonObject | undefined
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const value = event === 'run_finished' ? parseJson(data) : undefined
      if (isObject(value)) last = value
    },
  })
  parser.feed(stream)
  return last
}

function costIn(last: JsonObject = {}): JudgedRun['cost'] {
  const { cost_usd: usd, cost_estimated } = last
  return typeof usd === 'number' ? { usd, isEstimate: cost_estimated === true } : null
}
