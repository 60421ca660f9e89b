import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DEFAULT_SYSTEM_PROMPT } from '../../../graph/prompts.ts'
import { configTable } from '../../../scripts/config-table.ts'
import { ConfigError, environment, PORT, readConfig } from '../../../src/config.ts'
import { telemetryVariables } from '../../../src/telemetry/settings.ts'

type Variables = Record<string, string>

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
const names = Object.keys(environment.shape)

/** The lines after the first in an environment's error. */
function problemsOf(variables: Variables): string[] {
  try {
    readConfig(variables)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    const [first, ...lines] = (error as Error).message.split('\n')
    expect(first).toBe('the environment is not valid:')
    return lines.map(line => line.trim())
  }
  return []
}

const wikipedia = { provider: 'wikipedia', url: 'https://en.wikipedia.org' }
/** The defaults for reading pages. */
const reading = { maxTokens: 1500, ports: [80, 443], privateHosts: [] }

test('nothing set: the defaults', () => {
  expect(readConfig({})).toEqual({
    agent: { id: 'agent-1', name: 'Agent Task Service' },
    tokens: [],
    model: { provider: 'offline' },
    systemPrompt: DEFAULT_SYSTEM_PROMPT,
    limits: {
      timeoutMs: 110_000,
      answerByMs: 25_000,
      maxSteps: 50,
      maxOutputTokens: undefined,
      maxTotalTokens: undefined,
    },
    maxConcurrentRuns: 512,
    maxQueuedRuns: 512,
    maxBodyBytes: 1_048_576,
    replayTtlMs: 300_000,
    maxLosses: 2,
    shutdownGraceMs: 115_000,
    errorMetrics: 'empty',
    search: { engines: [wikipedia], ...reading },
    toolsAfterWeb: [],
    toolSecrets: {},
    mcpServers: [],
    telemetry: telemetryVariables.parse({}),
    logLevel: 'info',
    logErrors: 'brief',
    misspelt: [],
    secrets: [],
  })
})

test.for(names)('%s: blank is absent', name => {
  expect(readConfig({ [name]: '' })).toEqual(readConfig({}))
  expect(readConfig({ [name]: ' \t\n' })).toEqual(readConfig({}))
})

test('everything set: each value arrives where it belongs, trimmed', () => {
  const config = readConfig({
    AGENT_ID: ' agent-42 ',
    AGENT_NAME: 'My Agent',
    AGENT_TOKENS: 'one-token, two-token,,',
    MODEL_PROVIDER: 'openai',
    OPENAI_API_KEY: 'sk-key\n',
    OPENAI_BASE_URL: 'http://localhost:11434/v1',
    OPENAI_API: 'chat',
    MODEL: 'm1',
    MODEL_PARAMS: '{"reasoning_effort":"low"}',
    MODEL_HEADERS: '{"X-Key":"header key"}',
    MODEL_PRICE: '{"input":1,"output":2}',
    MODEL_PATIENCE_SEC: '30',
    FALLBACK_MODEL: 'm2',
    FALLBACK_BASE_URL: 'https://other.test/v1?api-version=1',
    FALLBACK_API: 'responses',
    FALLBACK_API_KEY: 'other-key',
    FALLBACK_PARAMS: '{"top_p":null}',
    FALLBACK_HEADERS: '{"X-Key":"other header"}',
    FALLBACK_PATIENCE_SEC: '2.5',
    TEMPERATURE: '0.5',
    SYSTEM_PROMPT: 'Be brief.',
    RUN_TIMEOUT_SEC: '60.5',
    ANSWER_BY_SEC: '10',
    MAX_STEPS: '7',
    MAX_OUTPUT_TOKENS: '1000',
    MAX_TOTAL_TOKENS: '9000',
    MAX_RUN_COST_USD: '0.5',
    MAX_CONCURRENT_RUNS: '3',
    MAX_QUEUED_RUNS: '0',
    MAX_BODY_BYTES: '2048',
    REPLAY_TTL_SEC: '0',
    MAX_LOST_REPLICAS: '3',
    SHUTDOWN_GRACE_SEC: '5',
    ERROR_METRICS: 'filled',
    SEARCH_PROVIDER: 'tavily, wikipedia',
    SEARCH_MAX_TOKENS: '3000',
    SEARCH_PORTS: '443,8443',
    SEARCH_PRIVATE_HOSTS: 'Wiki.corp, docs.corp',
    TOOLS_AFTER_WEB: 'notes__write',
    WIKIPEDIA_URL: 'https://de.wikipedia.org',
    SEARXNG_URL: 'http://localhost:8888',
    TAVILY_API_KEY: 'tvly-key',
    TAVILY_URL: 'https://tavily.test',
    BRAVE_API_KEY: 'brave-key',
    BRAVE_URL: 'https://brave.test',
    LOG_LEVEL: 'debug',
    LOG_ERRORS: 'full',
  })
  expect(config).toEqual({
    agent: { id: 'agent-42', name: 'My Agent' },
    tokens: ['one-token', 'two-token'],
    model: {
      provider: 'openai',
      models: [
        {
          name: 'm1',
          model: 'm1',
          apiKey: 'sk-key',
          baseUrl: 'http://localhost:11434/v1',
          api: 'chat',
          temperature: 0.5,
          params: { reasoning_effort: 'low' },
          headers: { 'X-Key': 'header key' },
          patienceMs: 30_000,
          rates: { input: 1, output: 2 },
        },
        {
          name: 'm2',
          model: 'm2',
          apiKey: 'other-key',
          baseUrl: 'https://other.test/v1?api-version=1',
          api: 'responses',
          temperature: 0.5,
          params: { top_p: null },
          headers: { 'X-Key': 'other header' },
          patienceMs: 2500,
        },
      ],
    },
    systemPrompt: 'Be brief.',
    limits: {
      timeoutMs: 60_500,
      answerByMs: 10_000,
      maxSteps: 7,
      maxOutputTokens: 1000,
      maxTotalTokens: 9000,
      maxCostUsd: 0.5,
    },
    maxConcurrentRuns: 3,
    maxQueuedRuns: 0,
    maxBodyBytes: 2048,
    replayTtlMs: 0,
    maxLosses: 3,
    shutdownGraceMs: 5000,
    errorMetrics: 'filled',
    search: {
      engines: [
        { provider: 'tavily', url: 'https://tavily.test', apiKey: 'tvly-key' },
        { provider: 'wikipedia', url: 'https://de.wikipedia.org' },
      ],
      maxTokens: 3000,
      ports: [443, 8443],
      privateHosts: ['wiki.corp', 'docs.corp'],
    },
    toolsAfterWeb: ['notes__write'],
    toolSecrets: {},
    mcpServers: [],
    telemetry: telemetryVariables.parse({}),
    logLevel: 'debug',
    logErrors: 'full',
    misspelt: [],
    secrets: [
      'one-token',
      'two-token',
      'sk-key',
      'other-key',
      'tvly-key',
      'brave-key',
      'header key',
      'other header',
    ],
  })
})

test("a fallback without an address has the first model's address, key and headers, but not its parameters", () => {
  const first = {
    OPENAI_API_KEY: 'key',
    MODEL: 'm',
    MODEL_HEADERS: '{"X-A":"a"}',
    MODEL_PARAMS: '{"top_p":1}',
  }
  const fallbackOf = (more: Variables) => {
    const { model } = readConfig({ ...first, ...more })
    return model.provider === 'openai' ? model.models[1] : undefined
  }
  const baseUrl = 'https://api.openai.com/v1'
  expect(fallbackOf({ FALLBACK_MODEL: 'n' })).toMatchObject({
    name: 'n',
    apiKey: 'key',
    baseUrl,
    headers: { 'X-A': 'a' },
    params: undefined,
  })
  expect(fallbackOf({ FALLBACK_MODEL: 'm', FALLBACK_API_KEY: 'two' })).toMatchObject({
    name: 'm (fallback)',
    model: 'm',
    apiKey: 'two',
  })
  const elsewhere = { FALLBACK_MODEL: 'n', FALLBACK_BASE_URL: 'http://other/v1', FALLBACK_API_KEY: 'two' }
  expect(fallbackOf(elsewhere)).toMatchObject({
    apiKey: 'two',
    baseUrl: 'http://other/v1',
    headers: undefined,
  })
})

test('the port is not a setting', () => {
  expect(PORT).toBe(8080)
  expect(readConfig({ PORT: '9090' })).toEqual(readConfig({}))
})

const NOT_SHOWN = 'got something else (not shown)'
const KEY = `expected visible ASCII without spaces, ${NOT_SHOWN}`
const REDIS =
  'expected redis:// or rediss:// (TLS) with a host and optional user:password@ (percent-encoded), :port and /number; got something else (not shown)'
const URL_ = `expected an http(s) URL without credentials, ${NOT_SHOWN}`
const PRICES =
  'expected {"input": <dollars>, "output": <dollars>}, with "cached_input" if it differs; got something else'
const JSON_ = `expected a JSON object, ${NOT_SHOWN}`
const HEADERS = `expected a JSON object of HTTP header names and values, ${NOT_SHOWN}`
const OWN =
  'expected none of model, messages, input, tools, tool_choice, stream, max_tokens, max_completion_tokens, max_output_tokens, which the agent sets itself'
const PROVIDERS = 'expected one of wikipedia, searxng, tavily, brave'
const LEVELS = 'expected one of trace, debug, info, warn, error, fatal, silent'

/** Wrong values of each variable, with the message for each. */
const wrong: Record<string, [value: string, problem: string][]> = {
  AGENT_ID: [
    ['agent-', 'expected agent-<number>, got "agent-"'],
    ['7', 'expected agent-<number>, got "7"'],
    ['x'.repeat(100), `expected agent-<number>, got "${'x'.repeat(40)}"`],
  ],
  AGENT_TOKENS: [
    ['two words', KEY],
    ['schlüssel', KEY],
    [' , ', 'expected a token between the commas, got none'],
  ],
  MODEL_PROVIDER: [['anthropic', 'expected one of offline, openai, got "anthropic"']],
  OPENAI_API_KEY: [
    ['sk-a\nb', KEY],
    ['sk-ключ', KEY],
  ],
  REDIS_URL: [
    ['localhost:6379', REDIS],
    ['redis://', REDIS],
    ['redis://:hunter2%@host', REDIS],
    ['rediss://host?insecure', REDIS],
  ],
  OPENAI_BASE_URL: [
    ['localhost:11434', URL_],
    ['https://user:pass@host/v1', URL_],
  ],
  OPENAI_API: [['completions', 'expected one of auto, responses, chat, got "completions"']],
  FALLBACK_API: [['completions', 'expected one of auto, responses, chat, got "completions"']],
  MODEL_PARAMS: [
    ['low', JSON_],
    ['[1]', JSON_],
    ['{"max_tokens":1}', OWN],
    ['{"stream":false}', OWN],
  ],
  MODEL_HEADERS: [
    ['X-Key: key', JSON_],
    ['{"X-Key":1}', HEADERS],
    ['{"X-Key":"a\\nb"}', HEADERS],
    ['{"X Key":"key"}', HEADERS],
  ],
  MODEL_PATIENCE_SEC: [['0', 'expected a number of seconds, 0.1 to 119, got "0"']],
  MODEL_PRICE: [
    ['cheap', JSON_],
    ['{"input":1}', PRICES],
    ['{"input":"1","output":2}', PRICES],
    ['{"input":-1,"output":2}', PRICES],
    ['{"input":1,"output":2,"x":3}', PRICES],
  ],
  FALLBACK_PRICE: [['cheap', JSON_]],
  FALLBACK_BASE_URL: [['other/v1', URL_]],
  FALLBACK_API_KEY: [['two words', KEY]],
  FALLBACK_PARAMS: [['low', JSON_]],
  FALLBACK_HEADERS: [['X-Key: key', JSON_]],
  FALLBACK_PATIENCE_SEC: [['0', 'expected a number of seconds, 0.1 to 119, got "0"']],
  TEMPERATURE: [
    ['hot', 'expected a number, 0 to 2, got "hot"'],
    ['-1', 'expected a number, 0 to 2, got "-1"'],
    ['0,5', 'expected a number, 0 to 2, got "0,5"'],
  ],
  RUN_TIMEOUT_SEC: [
    ['0', 'expected a number of seconds, 0.1 to 119, got "0"'],
    ['110s', 'expected a number of seconds, 0.1 to 119, got "110s"'],
  ],
  ANSWER_BY_SEC: [
    ['0', 'expected a number of seconds, 0.1 to 119, got "0"'],
    ['0x10', 'expected a number of seconds, 0.1 to 119, got "0x10"'],
  ],
  MAX_STEPS: [['0', 'expected a whole number, 1 to 1000, got "0"']],
  MAX_OUTPUT_TOKENS: [
    ['0', 'expected a whole number, 1 or more, got "0"'],
    ['1k', 'expected a whole number, 1 or more, got "1k"'],
  ],
  MAX_TOTAL_TOKENS: [
    ['-1', 'expected a whole number, 1 or more, got "-1"'],
    ['99999999999999999999', 'expected a whole number, 1 or more, got "99999999999999999999"'],
  ],
  MAX_RUN_COST_USD: [['0', 'expected a number, 0.000001 to 1000000, got "0"']],
  MAX_CONCURRENT_RUNS: [['0', 'expected a whole number, 1 or more, got "0"']],
  MAX_QUEUED_RUNS: [['-1', 'expected a whole number, 0 or more, got "-1"']],
  MAX_BODY_BYTES: [
    ['0', 'expected a whole number, 1 to 268435456, got "0"'],
    ['1MiB', 'expected a whole number, 1 to 268435456, got "1MiB"'],
    ['268435457', 'expected a whole number, 1 to 268435456, got "268435457"'],
  ],
  REPLAY_TTL_SEC: [
    ['-1', 'expected a number of seconds, 0 to 86400, got "-1"'],
    ['86401', 'expected a number of seconds, 0 to 86400, got "86401"'],
  ],
  MAX_LOST_REPLICAS: [['0', 'expected a whole number, 1 to 1000, got "0"']],
  SHUTDOWN_GRACE_SEC: [['soon', 'expected a number of seconds, 0 to 3600, got "soon"']],
  ERROR_METRICS: [['full', 'expected one of empty, filled, got "full"']],
  SEARCH_PROVIDER: [
    ['google', `${PROVIDERS}, got "google"`],
    [',', 'expected an engine between the commas, got none'],
  ],
  SEARCH_MAX_TOKENS: [['100', 'expected a whole number, 300 to 20000, got "100"']],
  SEARCH_PORTS: [
    ['80,https', 'expected a whole number, 1 to 65535, got "https"'],
    [',', 'expected a port between the commas, got none'],
  ],
  WIKIPEDIA_URL: [['en.wikipedia.org', URL_]],
  WIKIPEDIA_CONTACT: [['Zoë', 'expected an address or e-mail in ASCII, got "Zoë"']],
  SEARXNG_URL: [['http://u:p@localhost', URL_]],
  TAVILY_API_KEY: [['tvly key', KEY]],
  TAVILY_URL: [['file:///etc/passwd', URL_]],
  BRAVE_API_KEY: [['brave\tkey', KEY]],
  BRAVE_URL: [['https://', URL_]],
  MCP_CONFIG: [['/no/such/mcp.json', '/no/such/mcp.json: expected a readable file, got ENOENT']],
  LOG_ERRORS: [['all', 'expected one of brief, full, got "all"']],
  LOG_LEVEL: [['loud', `${LEVELS}, got "loud"`]],
}
/** Accept any text. */
const FREE = [
  'AGENT_NAME',
  'MODEL',
  'FALLBACK_MODEL',
  'SYSTEM_PROMPT',
  'SEARCH_PRIVATE_HOSTS',
  'TOOLS_AFTER_WEB',
]
/** Other variables that a value of this one requires. */
const besides: Record<string, Variables> = {
  OPENAI_BASE_URL: { OPENAI_API_KEY: 'key' },
  FALLBACK_BASE_URL: { FALLBACK_MODEL: 'm2', FALLBACK_API_KEY: 'key' },
  ...Object.fromEntries(
    names
      .filter(name => /^FALLBACK_(API|PAR|PRI|HEA|PAT)/.test(name))
      .map(name => [name, { FALLBACK_MODEL: 'm2' }]),
  ),
}

test('every variable is either free text or has wrong values here', () => {
  expect([...Object.keys(wrong), ...FREE].sort()).toEqual([...names].sort())
})

const wrongRows = Object.entries(wrong).flatMap(([name, rows]) =>
  rows.map(([value, problem]) => [name, value, problem] as const),
)

test.for(wrongRows)('refuses %s=%j', ([name, value, problem]) => {
  expect(problemsOf({ ...besides[name], [name]: value })).toEqual([`${name}: ${problem}`])
})

test('reports all problems at once, a missing key among them', () => {
  const variables = Object.fromEntries(Object.entries(wrong).map(([name, rows]) => [name, rows[0]![0]]))
  expect(problemsOf({ ...variables, FALLBACK_MODEL: 'm2' })).toEqual(
    [...names.filter(name => name in wrong && name !== 'MCP_CONFIG'), 'MCP_CONFIG'].map(
      name => `${name}: ${wrong[name]![0]![1]}`,
    ),
  )
  expect(problemsOf({ LOG_LEVEL: 'loud', SEARCH_PROVIDER: 'brave', MODEL_PROVIDER: 'openai' })).toEqual([
    `LOG_LEVEL: ${LEVELS}, got "loud"`,
    'OPENAI_API_KEY: expected a value, since the model provider is openai (any word will do if the server needs no key); got nothing',
    'BRAVE_API_KEY: expected a value, since SEARCH_PROVIDER is brave; got nothing',
  ])
})

const secrets: [name: string, value: string][] = [
  ['AGENT_TOKENS', 'good-token,hunter 2-secret'],
  ['OPENAI_API_KEY', 'sk-hunter2\nsecret'],
  ['MODEL_HEADERS', '{"X-Key":"hunter2\\nsecret"}'],
  ['OPENAI_BASE_URL', 'https://user:hunter2-secret@host/v1'],
  ['REDIS_URL', 'redis://:hunter2-secret@host:99999'],
]

test.for(secrets)('does not show a wrong %s', ([name, value]) => {
  const text = problemsOf({ [name]: value }).join('\n')
  expect(text).toContain(name)
  expect(text).not.toMatch(/hunter|secret|good-token/)
})

const providers: [variables: Variables, provider: string][] = [
  [{}, 'offline'],
  [{ OPENAI_API_KEY: 'key' }, 'openai'],
  [{ OPENAI_API_KEY: 'key', MODEL_PROVIDER: 'offline' }, 'offline'],
  [{ OPENAI_BASE_URL: 'http://localhost/v1', MODEL_PROVIDER: 'offline' }, 'offline'],
]

test.for(providers)('%j: the model provider is %s', ([variables, provider]) => {
  expect(readConfig(variables).model.provider).toBe(provider)
})

const NO_KEY =
  'OPENAI_API_KEY: expected a value, since the model provider is openai (any word will do if the server needs no key); got nothing'
const needs: [variables: Variables, problem: string][] = [
  [
    { FALLBACK_API_KEY: 'key' },
    'FALLBACK_MODEL: expected a value, since FALLBACK_API_KEY is set; got nothing',
  ],
  [
    { FALLBACK_MODEL: 'm2', FALLBACK_BASE_URL: 'http://other/v1' },
    'FALLBACK_API_KEY: expected a value, since FALLBACK_BASE_URL is set; got nothing',
  ],
  [{ MODEL_PROVIDER: 'openai' }, NO_KEY],
  [{ OPENAI_BASE_URL: 'http://localhost/v1' }, NO_KEY],
  [
    { SEARCH_PROVIDER: 'searxng' },
    'SEARXNG_URL: expected a value, since SEARCH_PROVIDER is searxng; got nothing',
  ],
  [
    { SEARCH_PROVIDER: 'tavily' },
    'TAVILY_API_KEY: expected a value, since SEARCH_PROVIDER is tavily; got nothing',
  ],
  [
    { SEARCH_PROVIDER: 'brave' },
    'BRAVE_API_KEY: expected a value, since SEARCH_PROVIDER is brave; got nothing',
  ],
]

test.for(needs)('%j needs more', ([variables, problem]) => {
  expect(problemsOf(variables)).toEqual([problem])
})

const searches: [variables: Variables, engine: object, more?: object][] = [
  [{ WIKIPEDIA_URL: 'https://de.wikipedia.org' }, { provider: 'wikipedia', url: 'https://de.wikipedia.org' }],
  [{ WIKIPEDIA_CONTACT: 'ops@example.org' }, wikipedia, { contact: 'ops@example.org' }],
  [
    { SEARCH_PROVIDER: 'searxng', SEARXNG_URL: 'http://localhost:8888' },
    { provider: 'searxng', url: 'http://localhost:8888' },
  ],
  [
    { SEARCH_PROVIDER: 'tavily', TAVILY_API_KEY: 'key' },
    { provider: 'tavily', url: 'https://api.tavily.com', apiKey: 'key' },
  ],
  [
    { SEARCH_PROVIDER: 'brave', BRAVE_API_KEY: 'key' },
    { provider: 'brave', url: 'https://api.search.brave.com', apiKey: 'key' },
  ],
]

test.for(searches)('%j: what web search uses', ([variables, engine, more]) => {
  expect(readConfig(variables).search).toEqual({ engines: [engine], ...reading, ...more })
})

test('reads the secrets that tools declare, keeps them secret, and checks them like keys', () => {
  const declared = ['SHOP_KEY', 'POST_KEY']
  const { toolSecrets, secrets } = readConfig({ SHOP_KEY: ' shop-key ', POST_KEY: ' ', OTHER: 'x' }, declared)
  expect(toolSecrets).toEqual({ SHOP_KEY: 'shop-key' })
  expect(secrets).toEqual(['shop-key'])
  expect(() => readConfig({ SHOP_KEY: 'two words' }, declared)).toThrow(`SHOP_KEY: ${KEY}`)
})

const misspelt: [given: string, meant: string][] = [
  ['OPENAI_KEY', 'OPENAI_API_KEY'],
  ['OPENAI_URL', 'OPENAI_BASE_URL'],
  ['openai_api_key', 'OPENAI_API_KEY'],
  ['MODL', 'MODEL'],
  ['RUN_TIMEOUT', 'RUN_TIMEOUT_SEC'],
  ['SHOP_KY', 'SHOP_KEY'],
]

test.for(misspelt)('%s: did you mean %s?', ([name, meant]) => {
  expect(readConfig({ [name]: 'info' }, ['SHOP_KEY']).misspelt).toEqual([{ name, meant }])
  expect(readConfig({ [name]: '' }, ['SHOP_KEY']).misspelt).toEqual([])
})

test('a variable that is set may have a near neighbour; a missing one may be misspelt', () => {
  expect(readConfig({ MODL: 'x', MODEL: 'y' }).misspelt).toEqual([])
  expect(problemsOf({ OPENAI_KEY: 'sk-key', OPENAI_BASE_URL: 'http://localhost/v1' })).toEqual([
    expect.stringMatching(/^OPENAI_API_KEY: expected a value/),
    'OPENAI_KEY: unknown; did you mean OPENAI_API_KEY?',
  ])
})

test('suspects no typo in the environments of shells, CI, clusters and other tools', () => {
  const others = read('test/data/environments.txt').split(/\s+/)
  expect(readConfig(Object.fromEntries(others.map(name => [name, 'x']))).misspelt).toEqual([])
})

test('docs/configuration.md matches the schema: npm run docs', () => {
  expect(read('docs/configuration.md')).toContain(configTable())
  for (const [name, schema] of Object.entries(environment.shape)) {
    expect(schema.description, name).toBeTruthy()
    expect(configTable()).toContain(`| \`${name}\` |`)
  }
})

test('.env.example names the same variables, all commented out', () => {
  const lines = read('.env.example').split('\n')
  expect(lines.filter(line => line !== '' && !line.startsWith('#'))).toEqual([])
  expect(exampleOf(lines).map(([name]) => name)).toEqual(names)
})

test('.env.example shows defaults, and no value for a secret', () => {
  const example = exampleOf(read('.env.example').split('\n'))
  for (const [name, value] of example) {
    const { description = '' } = environment.shape[name as keyof typeof environment.shape]
    if (description.includes('Secret')) expect([name, value]).toEqual([name, ''])
  }
  const variables = { ...Object.fromEntries(example), MODEL_PROVIDER: 'offline' }
  expect(readConfig(variables)).toEqual(readConfig({}))
})

function exampleOf(lines: readonly string[]): [name: string, value: string][] {
  return lines.flatMap(line => {
    const [, name, value] = /^# ([A-Z_]+)=(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value ?? '']]
  })
}

test.for([
  ['redis://host', { host: 'host', port: 6379, db: 0 }],
  ['redis://[::1]:7000/3', { host: '::1', port: 7000, db: 3 }],
  [
    'rediss://agent:p%40ss%2Fword@host/',
    { host: 'host', port: 6379, db: 0, username: 'agent', password: 'p@ss/word', tls: {} },
  ],
] as const)('REDIS_URL %s', ([REDIS_URL, redis]) => {
  const config = readConfig({ REDIS_URL })
  expect(config.redis).toEqual(redis)
  expect(config.secrets).toEqual('password' in redis ? [redis.password] : [])
})
