/** The only place that reads the environment: every setting with its default, check and description. */

import { guessSecrets, isSecretVariable } from '@agent-task-service/wire/masking'
import { z } from 'zod'
import type { AgentDefinition, Needed } from '../agent/definition.ts'
import type { Extra, Problem, RawVariables } from '../agent/extra.ts'
import { SetupError } from '../failures/setup-error.ts'
import type { EndpointSettings, ModelSettings } from '../model/model-entry.ts'
import { needsSecrets } from '../tools/tool.ts'
import { explainRefusal, leftoversIn } from './env-file-syntax.ts'
import { earlierNames, type LangSmithSettings, langSmithVariables } from './langsmith.ts'
import { proxiesIn, proxiesOf, proxyVariables, secretsOfProxy } from './proxies.ts'
import { readExtra } from './read-extra.ts'
import { fileVariable, readSecretFiles, secretFilesIn } from './secret-files.ts'
import {
  assertMarked,
  isMaskable,
  type NamedSecrets,
  says,
  secretNamesIn,
  secretTextsIn,
  tooShortIn,
} from './secrets.ts'
import {
  expectedOf,
  freeText,
  headers,
  httpUrl,
  jsonObject,
  listOf,
  nameList,
  number,
  oneOf,
  rates,
  seconds,
  secret,
  wholeNumber,
} from './setting.ts'
import { misspeltIn, notReadIn, otherKeysIn } from './unread-variables.ts'

export { SetupError } from '../failures/setup-error.ts'
export { isSecret } from './secrets.ts'

/** Fixed by the interface, so not a setting. */
export const PORT = 8080

export type Config = Readonly<ReturnType<typeof readConfig>>

const patience = seconds(0.1, 119)
  .transform(sec => sec * 1000)
  .optional()

/** `default` applies when the variable is absent or blank. */
export const environment = z.object({
  AGENT_ID: z
    .string()
    .regex(/^agent-\d+$/, { error: expectedOf('agent-<number>') })
    .default('agent-1')
    .describe('Identifier in `/health`, `agent-<number>`'),
  AGENT_NAME: freeText.default('Agent Task Service').describe('Name in `/health`'),
  // A list of nothing but commas has lost its tokens; it must not open the service.
  AGENT_TOKENS: listOf(secret(), 'a token')
    .default([])
    .describe('Bearer tokens accepted on `/run`, comma-separated; unset: `/run` is open'),
  MODEL_PROVIDER: oneOf(['offline', 'openai'])
    .optional()
    .describe(
      '`offline` or `openai`; unset: `openai` if a key, a base URL or a model is set, else `offline`',
    ),
  OPENAI_API_KEY: secret().optional().describe('Key of the model provider'),
  OPENAI_BASE_URL: httpUrl
    .optional()
    .describe('OpenAI-compatible endpoint, up to and including `/v1`; unset: `https://api.openai.com/v1`'),
  OPENAI_API: oneOf(['auto', 'responses', 'chat'])
    .default('auto')
    .describe(
      "`responses`, `chat` (chat completions), or `auto`: Responses at OpenAI's own endpoint or if a refusal asks for it, else chat",
    ),
  MODEL: z.string().default('gpt-4.1-mini').describe('Model to use'),
  MODEL_PARAMS: jsonObject
    .optional()
    .describe(
      'Extra members for each request, as JSON: `{"reasoning_effort":"low"}`; `null` removes a member',
    ),
  MODEL_HEADERS: secret(headers).optional().describe('Extra headers for each request, as JSON'),
  MODEL_PRICE: rates
    .optional()
    .describe(
      'US dollars for a million tokens, as JSON: `{"input":0.4,"cached_input":0.1,"output":1.6}`; unset: what the provider reports, else the published price, if the endpoint is a known provider',
    ),
  MODEL_PATIENCE_SEC: patience.describe(
    'Seconds the model may stay silent; unset: 15 % of `RUN_TIMEOUT_SEC`',
  ),
  FALLBACK_MODEL: z.string().optional().describe('Model to use when the first one is unavailable'),
  FALLBACK_BASE_URL: httpUrl
    .optional()
    .describe("The fallback's endpoint; unset: `MODEL`'s endpoint, key and headers"),
  FALLBACK_API: oneOf(['auto', 'responses', 'chat'])
    .optional()
    .describe('Like `OPENAI_API`, for the fallback; unset: `auto`'),
  FALLBACK_API_KEY: secret().optional().describe("The fallback's key"),
  FALLBACK_PARAMS: jsonObject.optional().describe('Like `MODEL_PARAMS`, for the fallback'),
  FALLBACK_HEADERS: secret(headers).optional().describe('Like `MODEL_HEADERS`, for the fallback'),
  FALLBACK_PRICE: rates.optional().describe('Like `MODEL_PRICE`, for the fallback'),
  FALLBACK_PATIENCE_SEC: patience.describe('Like `MODEL_PATIENCE_SEC`, for the fallback'),
  TEMPERATURE: number(0, 2)
    .optional()
    .describe("Sampling temperature, 0 to 2; unset: the provider's default"),
  SYSTEM_PROMPT: freeText
    .optional()
    .describe("The agent's system prompt; unset: its own, `systemPrompt` in `src/agent.ts`"),
  RUN_TIMEOUT_SEC: seconds(0.1, 119)
    .default(110)
    .describe('Hard deadline of a run, in seconds; the orchestrator gives up at 120'),
  ANSWER_BY_SEC: seconds(0.1, 119)
    .default(25)
    .describe('After this many seconds the model is asked to answer with what it has'),
  MAX_STEPS: wholeNumber(1, 1000)
    .default(50)
    .describe('Maximum number of model calls and tool calls in one run'),
  MAX_OUTPUT_TOKENS: wholeNumber(1)
    .optional()
    .describe('Cap on the tokens a run generates if its request sets no `max_tokens`; unset: no cap'),
  MAX_TOTAL_TOKENS: wholeNumber(1)
    .optional()
    .describe('Cap on the tokens a run reads and generates together; unset: no cap'),
  MAX_TOOL_TOKENS: wholeNumber(0)
    .default(3000)
    .describe(
      'Tokens that tools of MCP servers may take in a request; of more, the model finds those that it needs. See docs/guides/mcp.md',
    ),
  MAX_RUN_COST_USD: number(0.000001, 1_000_000)
    .optional()
    .describe(
      "Limit on the cost of a run's model calls, in US dollars; unset: no limit. See docs/guides/models.md",
    ),
  MAX_DAY_COST_USD: number(0.000001, 1_000_000)
    .optional()
    .describe("Limit on the cost of all runs' model calls of a day (UTC)"),
  MAX_CONCURRENT_RUNS: wholeNumber(1).default(512).describe('Maximum number of runs in progress at once'),
  MAX_QUEUED_RUNS: wholeNumber(0)
    .default(512)
    .describe('Maximum number of runs waiting to start; further requests get 503'),
  MAX_BODY_BYTES: wholeNumber(1, 2 ** 28)
    .default(2 ** 20)
    .describe('Largest request body, in bytes; a larger one gets 413'),
  REPLAY_TTL_SEC: seconds(0, 86_400)
    .default(300)
    .describe('How long a success is replayed to equal requests, in seconds; 0: never'),
  SHUTDOWN_GRACE_SEC: seconds(0, 3600)
    .default(115)
    .describe('How long runs in flight may continue after SIGTERM, in seconds'),
  ERROR_METRICS: oneOf(['empty', 'filled'])
    .default('empty')
    .describe('`metrics` of a failed run: `empty`, as the interface shows, or `filled`'),
  TOOLS_AFTER_WEB: nameList.describe(
    'Tools with side effects that a run may still call after it has read the web, comma-separated. See docs/guides/tools.md',
  ),
  WRITTEN_CALLS: nameList.describe(
    'Tools with side effects that run even if a model wrote their call into its text, comma-separated, or `*`. See docs/guides/tools.md',
  ),
  UNMASKED_VARIABLES: nameList.describe(
    'Variables that are not masked though they look secret, comma-separated. See docs/configuration.md',
  ),
  STREAM_MODEL_INPUT: oneOf(['true', 'false'])
    .default('false')
    .describe(
      '`true`: callers may ask the event stream for what each model call reads; always `false` in the image. `npm run dev` and `npm run staging` set it. See docs/reference/event-stream.md',
    ),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severe level to log'),
  LOG_ERRORS: oneOf(['brief', 'full'])
    .default('brief')
    .describe(
      '`full`: log error messages and stacks, which may quote a task; `brief`: only class and location. `npm run dev` and `npm run studio` set `full`',
    ),
  ...proxyVariables,
})

const DEFAULT_URL = 'https://api.openai.com/v1'

type Environment = z.output<typeof environment>

/** What is read of an agent's definition. */
export type Configurable = Pick<
  AgentDefinition,
  'variables' | 'needs' | 'systemPrompt' | 'tools' | 'share' | 'observe' | 'moreTools'
>

/**
 * Reads the settings; a blank value counts as absent.
 *
 * @throws {SetupError} listing every problem; for a variable that only its description calls secret
 *
 * @example
 * const config = readConfig({ MODEL_PROVIDER: 'offline', LOG_LEVEL: 'silent' }, agent)
 */
export function readConfig(given: RawVariables, agent: Configurable) {
  const { variables: own, needs, systemPrompt } = agent
  const { ofTools, ofExtras, names, secretNames, mayBeFiles } = declarationsOf(agent)
  const files = readSecretFiles(given, mayBeFiles)
  const variables: RawVariables = { ...given, ...files.values }
  const raw = settingsIn({ ...variables, ...proxiesIn(variables) }, names)
  const everything = z.object({ service: environment, own, tools: ofTools, langSmith: langSmithVariables })
  const parsed = everything.safeParse({ service: raw, own: raw, tools: raw, langSmith: raw })
  assertMarked(own)
  const share = agent.share && readExtra(agent.share, raw, variables)
  const observe = (agent.observe ?? []).map(extra => readExtra(extra, raw, variables))
  const moreTools = (agent.moreTools ?? []).map(extra => readExtra(extra, raw, variables))
  const extras = [...(share ? [share] : []), ...observe, ...moreTools]
  const others: Record<string, string> = Object.assign({}, ...extras.map(extra => extra.variables))
  const values = { ...others, ...raw }
  const issues = parsed.error?.issues.map(({ path: [, name], message }): Problem => [String(name), message])
  const wrong = [files.problems, issues ?? [], ...extras.map(({ problems }) => problems)]
    .flat()
    .map(([name, message]) => {
      const isHidden = secretNames.includes(name)
      const told = isHidden ? message.replace(/, got ".*/s, ', got something else (not shown)') : message
      const shown = name in files.values ? fileVariable(name) : name
      return `${shown}: ${explainRefusal(told, values[name])}`
    })
  const proxyNames = Object.keys(proxyVariables).flatMap(name => [name, name.toLowerCase()])
  const fileNames = mayBeFiles.map(fileVariable)
  const known = [...names, ...proxyNames, ...Object.keys(others), ...fileNames]
  const missing = [...neededIn(raw), ...(needs?.(raw) ?? [])]
    .filter(([name]) => raw[name] === undefined && !variables[fileVariable(name)])
    .map(([name, why]) => `${name}: expected a value, since ${why}; got nothing`)
  const otherKeys = otherKeysIn(variables, known)
  const misspelt = misspeltIn(variables, known)
  // Without its token, the service would be open; without its key, it would be another service.
  const lacksSecret = misspelt.some(({ meant }) => [...secretNames, ...fileNames].includes(meant))
  const strict = [environment, langSmithVariables, ...ofExtras].flatMap(strictNamesIn)
  const leftovers = leftoversIn(values, name => strict.includes(name) || secretNames.includes(name))
  const problems = new Set([
    ...wrong,
    ...leftovers.refused,
    ...missing,
    ...(missing.length > 0 ? otherKeys : []).map(({ name, instead }) => `${name}: not read; ${instead}`),
    ...unsharedIn(variables, agent),
    ...earlierNames(variables),
  ])
  if (!parsed.success || problems.size > 0 || lacksSecret)
    throw new SetupError(
      [
        'the environment is not valid:',
        ...[...problems].map(problem => `  ${problem}`),
        ...misspelt.map(({ name, meant }) => `  ${name}: unknown; did you mean ${meant}?`),
      ].join('\n'),
    )
  const { service: env, own: settings, tools: toolSecrets, langSmith } = parsed.data
  const decided = [...secretNames, ...proxyNames, ...env.UNMASKED_VARIABLES]
  const guesses = guessSecrets(variables, known).filter(({ name }) => !decided.includes(name))
  const secrets: NamedSecrets[] = [
    ...secretTextsIn(environment, env, raw),
    ...extras.flatMap(extra => extra.secrets),
    ...secretTextsIn(own, settings, raw),
    ...secretTextsIn(ofTools, toolSecrets, raw),
    ...secretTextsIn(langSmithVariables, langSmith, raw),
    ['HTTPS_PROXY', secretsOfProxy(env.HTTPS_PROXY)],
    ['HTTP_PROXY', secretsOfProxy(env.HTTP_PROXY)],
    ...guesses.map(({ name, secrets }): NamedSecrets => [name, secrets]),
  ]
  const referredTo = Object.entries(others).map(([name, value]): NamedSecrets => [name, [value]])
  // As in the image: what the models read there stays there.
  const isProduction = variables.NODE_ENV === 'production'
  const undecided = Object.entries(variables).filter(([name]) => ![...known, ...decided].includes(name))
  return {
    agent: { id: env.AGENT_ID, name: env.AGENT_NAME },
    /** Accepted on `/run`; if empty, anyone may call it. */
    tokens: env.AGENT_TOKENS,
    model: modelSettings(env, modelProvider(raw)),
    systemPrompt: env.SYSTEM_PROMPT ?? systemPrompt,
    limits: {
      timeoutMs: env.RUN_TIMEOUT_SEC * 1000,
      answerByMs: env.ANSWER_BY_SEC * 1000,
      maxSteps: env.MAX_STEPS,
      maxOutputTokens: env.MAX_OUTPUT_TOKENS,
      maxTotalTokens: env.MAX_TOTAL_TOKENS,
      maxCostUsd: env.MAX_RUN_COST_USD,
    },
    maxDayCostUsd: env.MAX_DAY_COST_USD,
    maxConcurrentRuns: env.MAX_CONCURRENT_RUNS,
    maxQueuedRuns: env.MAX_QUEUED_RUNS,
    maxBodyBytes: env.MAX_BODY_BYTES,
    replayTtlMs: env.REPLAY_TTL_SEC * 1000,
    shutdownGraceMs: env.SHUTDOWN_GRACE_SEC * 1000,
    hasDefaultId: raw.AGENT_ID === undefined,
    errorMetrics: env.ERROR_METRICS,
    /** Of the agent's own variables. */
    settings,
    toolsAfterWeb: env.TOOLS_AFTER_WEB,
    writtenCalls: env.WRITTEN_CALLS,
    maxToolTokens: env.MAX_TOOL_TOKENS,
    /** By variable; unset ones are missing. */
    toolSecrets,
    share: share?.configured,
    observe: observe.map(({ configured }) => configured),
    moreTools: moreTools.map(({ configured }) => configured),
    /** For what models, tracing and MCP servers are asked; absent: none. */
    proxies: proxiesOf(env),
    langSmith,
    streamModelInput: env.STREAM_MODEL_INPUT === 'true' && !isProduction,
    logLevel: env.LOG_LEVEL,
    logErrors: env.LOG_ERRORS,
    misspelt,
    /** Variables and what is odd about their values, a line each; it may be meant. */
    leftovers: leftovers.tolerated,
    notRead: [
      ...notReadIn(variables, known, Object.assign({}, ...extrasOf(agent).map(({ notRead }) => notRead))),
      ...extras.flatMap(({ ignored }) => ignored.map(([name, instead]) => ({ name, instead }))),
      ...(isProduction && env.STREAM_MODEL_INPUT === 'true'
        ? [{ name: 'STREAM_MODEL_INPUT', instead: 'NODE_ENV is production, where it is always false' }]
        : []),
    ],
    /** The same of other providers' keys, if the agent turns out to be offline. */
    notReadOffline: raw.MODEL_PROVIDER === undefined ? otherKeys : [],
    /** Names of variables that nobody declares as secret, but whose values are masked. */
    maskedByGuess: guesses.filter(({ secrets }) => secrets.some(isMaskable)).map(({ name }) => name),
    /** Variables whose secrets are too short to be masked, a line each. */
    tooShort: tooShortIn(
      [...secrets, ...referredTo.filter(([name]) => isSecretVariable(name))],
      Object.fromEntries(undecided),
    ),
    /** Masked in logs and replies. */
    secrets: [...new Set([...secrets, ...referredTo].flatMap(([, texts]) => texts))],
  }
}

/** The files that the process must be allowed to read before it reads its settings. */
export function filesToRead(agent: Configurable, variables: RawVariables): readonly string[] {
  const ofSecrets = secretFilesIn(variables, declarationsOf(agent).mayBeFiles).map(([, path]) => path)
  return [...ofSecrets, ...extrasOf(agent).flatMap(extra => extra.files?.(variables) ?? [])]
}

function declarationsOf(agent: Configurable) {
  const ofTools = secretsOfTools(agent.tools)
  const ofExtras = extrasOf(agent).map(({ variables }) => variables)
  const declarations = [environment, agent.variables, ofTools, langSmithVariables, ...ofExtras]
  const names = declarations.flatMap(({ shape }) => Object.keys(shape))
  const secretNames = declarations.flatMap(secretNamesIn)
  const mayBeFiles = secretNames.filter(name => !names.includes(fileVariable(name)))
  return { ofTools, ofExtras, names, secretNames, mayBeFiles }
}

/** What the agent names beside its own parts. */
export function extrasOf(agent: Configurable): readonly Extra<z.ZodObject, object>[] {
  const { share, observe = [], moreTools = [] } = agent
  return [...(share ? [share] : []), ...observe, ...moreTools]
}

/** All variables that an agent reads, by name, but for the secrets that only a tool names. */
export function declaredVariables(agent: Configurable): Readonly<Record<string, z.ZodType>> {
  const ofExtras = extrasOf(agent).map(({ variables }) => variables.shape)
  return Object.assign({}, environment.shape, agent.variables.shape, langSmithVariables.shape, ...ofExtras)
}

/** The variables that tools name with `withSecrets`. */
function secretsOfTools(tools: Configurable['tools']) {
  const names = Object.values(tools).flatMap(tool => (needsSecrets(tool) ? tool.secrets : []))
  return z.object(Object.fromEntries(names.map(name => [name, secret().optional()])))
}

/** The named variables that are set and not blank, trimmed. */
function settingsIn(variables: RawVariables, names: readonly string[]): Record<string, string> {
  const settings = names.map(name => [name, variables[name]?.trim() ?? ''] as const)
  return Object.fromEntries(settings.filter(([, value]) => value !== ''))
}

/** What the chosen providers require, with the reason. Outside the schema, so that all problems show at once. */
function* neededIn(raw: RawVariables): Iterable<Needed<keyof Environment | keyof LangSmithSettings>> {
  if (modelProvider(raw) === 'openai') {
    const asked = raw.MODEL_PROVIDER === undefined ? ASK_FOR_PROVIDER.find(name => raw[name]) : undefined
    const why = asked ? `${asked} is set` : 'the model provider is openai'
    yield ['OPENAI_API_KEY', `${why} (any word will do if the server needs no key)`]
  }
  const ofFallback = Object.keys(environment.shape).find(
    name => /^FALLBACK_(?!MODEL$)/.test(name) && raw[name],
  )
  if (ofFallback) yield ['FALLBACK_MODEL', `${ofFallback} is set`]
  // MODEL's key must not go to another server.
  if (raw.FALLBACK_BASE_URL !== undefined) yield ['FALLBACK_API_KEY', 'FALLBACK_BASE_URL is set']
  // A LangSmith server of one's own may need no key.
  if (raw.LANGSMITH_TRACING?.toLowerCase() === 'true' && raw.LANGSMITH_ENDPOINT === undefined)
    yield ['LANGSMITH_API_KEY', 'LANGSMITH_TRACING is true']
}

/** Whoever sets one of these wants a model, and not the offline one. */
const ASK_FOR_PROVIDER = ['MODEL', 'FALLBACK_MODEL', 'OPENAI_BASE_URL', 'OPENAI_API_KEY']

function modelProvider(raw: RawVariables): string {
  return raw.MODEL_PROVIDER ?? (ASK_FOR_PROVIDER.some(name => raw[name]) ? 'openai' : 'offline')
}

/** @param provider of the first model */
function modelSettings(env: Environment, provider: string): ModelSettings {
  if (provider === 'offline') return { provider: 'offline' }
  const { TEMPERATURE: temperature } = env
  const first: EndpointSettings = {
    name: env.MODEL,
    model: env.MODEL,
    apiKey: env.OPENAI_API_KEY ?? '',
    baseUrl: env.OPENAI_BASE_URL ?? DEFAULT_URL,
    api: env.OPENAI_API,
    temperature,
    params: env.MODEL_PARAMS,
    headers: env.MODEL_HEADERS,
    patienceMs: env.MODEL_PATIENCE_SEC,
    rates: env.MODEL_PRICE,
  }
  if (env.FALLBACK_MODEL === undefined) return { provider: 'openai', models: [first] }
  const fallback: EndpointSettings = {
    name: env.FALLBACK_MODEL === env.MODEL ? `${env.MODEL} (fallback)` : env.FALLBACK_MODEL,
    model: env.FALLBACK_MODEL,
    apiKey: env.FALLBACK_API_KEY ?? first.apiKey,
    baseUrl: env.FALLBACK_BASE_URL ?? first.baseUrl,
    api: env.FALLBACK_API ?? 'auto',
    temperature,
    params: env.FALLBACK_PARAMS,
    headers: env.FALLBACK_HEADERS ?? (env.FALLBACK_BASE_URL === undefined ? first.headers : undefined),
    patienceMs: env.FALLBACK_PATIENCE_SEC,
    rates:
      env.FALLBACK_PRICE ??
      (env.FALLBACK_MODEL === env.MODEL && env.FALLBACK_BASE_URL === undefined ? env.MODEL_PRICE : undefined),
  }
  return { provider: 'openai', models: [first, fallback] }
}

/** Whoever sets it has replicas, and each would do what another one has done. */
function unsharedIn(variables: RawVariables, { share }: Configurable): string[] {
  if (share || !variables.REDIS_URL?.trim()) return []
  return [
    'REDIS_URL: expected share: redis() of @agent-task-service/share in src/agent.ts, since without it replicas share no tasks and may repeat a side effect; got none',
  ]
}

/** Names of the variables in whose values no quotes can be meant. */
function strictNamesIn({ shape }: z.ZodObject): string[] {
  const isFree = (type: z.core.$ZodType) => says(type, ({ freeText }) => freeText === true)
  return Object.entries(shape).flatMap(([name, type]) => (isFree(type) ? [] : [name]))
}
