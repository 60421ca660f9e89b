import { readConfig } from '../src/config.ts'
import { createService } from '../src/service.ts'
import type { RunRequest } from '../src/wire/contract.ts'
import { AgentClient } from '../staging/agents/agent-client.ts'
import { runViolations } from '../staging/agents/violations.ts'
import { UsageError } from '../staging/command-line.ts'
import { HEALTH_TIMEOUT_MS, RUN_TIMEOUT_MS } from '../staging/limits.ts'
import type { Options } from './options.ts'

/** The result of one run. */
export interface Reply {
  readonly body: Readonly<Record<string, unknown>>
  /** How it violates the interface; if it does, the answer is not judged. */
  readonly broken: readonly string[]
  readonly wallMs: number
}

/** One contestant: a model or an agent, with a prompt. */
export interface Variant {
  readonly name: string
  run(request: RunRequest): Promise<Reply>
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Creates the variants that the options select: each agent or model with each prompt.
 *
 * @throws {ConfigError} if the environment is not valid
 * @throws {UsageError} for a model that would not be used, or an agent that does not answer
 */
export async function createVariants(
  { urls, token, models, prompts }: Pick<Options, 'urls' | 'token' | 'models' | 'prompts'>,
  env: Environment,
): Promise<readonly Variant[]> {
  const asked: Variant[] =
    urls.length > 0
      ? await Promise.all(urls.map(url => overHttp(url, token)))
      : await Promise.all(
          models.length > 0
            ? models.map(model => inProcess({ ...env, MODEL: model }, model))
            : [inProcess(env)],
        )
  if (prompts.length === 0) return asked
  return asked.flatMap(one =>
    prompts.map(({ name, text }) => ({
      name: asked.length > 1 ? `${one.name}, ${name}` : name,
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
  return {
    name: URL.parse(url)?.host ?? url,
    async run(request) {
      const exchange = await client.run(request, { timeoutMs: RUN_TIMEOUT_MS })
      const broken = runViolations(exchange, { taskId: request.task_id })
      if (broken.length === 0 && exchange.status !== 200)
        broken.push(`the agent answered HTTP ${exchange.status}`)
      return { body: toBody(exchange.json), broken, wallMs: exchange.wallMs }
    },
  }
}

/** This project's agent, in this process, without a log. */
async function inProcess(env: Environment, name?: string): Promise<Variant> {
  const config = readConfig({ ...env, AGENT_TOKENS: '' })
  if (name !== undefined && config.model.provider === 'offline') {
    throw new UsageError([
      '--model: expected a provider, set by OPENAI_API_KEY or OPENAI_BASE_URL; got the offline model',
    ])
  }
  const { app } = await createService(config, { sink: { write: () => undefined } })
  return {
    name: name ?? (config.model.provider === 'offline' ? 'offline' : (env.MODEL ?? 'agent')),
    async run(request) {
      const startedAt = performance.now()
      const response = await app.request('/run', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(request),
      })
      const body = toBody(await response.json())
      const wallMs = performance.now() - startedAt
      return { body, broken: response.ok ? [] : [`the agent answered HTTP ${response.status}`], wallMs }
    },
  }
}

function toBody(json: unknown): Reply['body'] {
  return typeof json === 'object' && json !== null ? { ...json } : {}
}
