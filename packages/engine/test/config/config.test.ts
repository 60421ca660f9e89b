import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { declaredVariables, PORT } from '@agent-task-service/engine/config'
import { type SearchVariables, searchSettings } from '@agent-task-service/starter/web-search/settings'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { problemsOf, readConfig, type Variables } from '@agent-task-service/test-support/read-config'
import { afterAll, describe, expect, test } from 'vitest'

const defaults = readConfig({})

test.for(Object.keys(declaredVariables(agent)))('%s: blank is absent', name => {
  expect(readConfig({ [name]: '' })).toEqual(defaults)
  expect(readConfig({ [name]: ' \t\n' })).toEqual(defaults)
})

// EVIDENCE-OF docs/configuration.md: | `SEARCH_PROVIDER` |
// EVIDENCE-OF docs/configuration.md: | `TAVILY_API_KEY` |
// EVIDENCE-OF docs/configuration.md: | `BRAVE_API_KEY` |
// EVIDENCE-OF docs/configuration.md: | `FALLBACK_API` |
// EVIDENCE-OF docs/configuration.md: | `FALLBACK_PARAMS` |
// EVIDENCE-OF docs/configuration.md: | `FALLBACK_HEADERS` |
// EVIDENCE-OF docs/configuration.md: | `TEMPERATURE` |
// EVIDENCE-OF docs/configuration.md: | `SEARCH_MAX_TOKENS` |
// EVIDENCE-OF docs/configuration.md: | `SEARCH_PORTS` |
// EVIDENCE-OF docs/configuration.md: | `SEARCH_PRIVATE_HOSTS` |
// EVIDENCE-OF docs/configuration.md: | `SEARCH_PROXY` |
// EVIDENCE-OF docs/configuration.md: | `WIKIPEDIA_CONTACT` |
// EVIDENCE-OF docs/configuration.md: | `TAVILY_URL` |
// EVIDENCE-OF docs/configuration.md: | `BRAVE_URL` |
// EVIDENCE-OF docs/configuration.md: Secret.
// EVIDENCE-OF docs/guides/deployment.md: | Where are secrets? |
test('each value arrives where it belongs, trimmed, and secrets are known as such', () => {
  const config = readConfig({
    AGENT_TOKENS: 'one-token, two-token,,',
    OPENAI_API_KEY: 'sk-key\n',
    OPENAI_BASE_URL: 'http://localhost:11434/v1',
    OPENAI_API: 'chat',
    MODEL: ' m1 ',
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
    SEARCH_PROVIDER: 'tavily, brave, wikipedia',
    SEARCH_MAX_TOKENS: '3000',
    SEARCH_PORTS: '443,8443',
    SEARCH_PRIVATE_HOSTS: 'Wiki.corp, docs.corp',
    SEARCH_PROXY: 'http://proxy.test:3128',
    WIKIPEDIA_URL: 'https://de.wikipedia.org',
    WIKIPEDIA_CONTACT: 'ops@example.org',
    TAVILY_API_KEY: 'tvly-key',
    TAVILY_URL: 'https://tavily.test',
    BRAVE_API_KEY: 'brave-key',
    BRAVE_URL: 'https://brave.test',
  })
  const both = { temperature: 0.5 }
  expect(config.model).toMatchObject({
    provider: 'openai',
    models: [
      {
        ...both,
        name: 'm1',
        apiKey: 'sk-key',
        api: 'chat',
        patienceMs: 30_000,
        rates: { input: 1, output: 2 },
      },
      {
        ...both,
        model: 'm2',
        baseUrl: 'https://other.test/v1?api-version=1',
        api: 'responses',
        params: { top_p: null },
        headers: { 'X-Key': 'other header' },
        patienceMs: 2500,
      },
    ],
  })
  expect(searchSettings(config.settings as SearchVariables)).toEqual({
    engines: [
      { provider: 'tavily', url: 'https://tavily.test', apiKey: 'tvly-key' },
      { provider: 'brave', url: 'https://brave.test', apiKey: 'brave-key' },
      { provider: 'wikipedia', url: 'https://de.wikipedia.org' },
    ],
    maxTokens: 3000,
    ports: [443, 8443],
    privateHosts: ['wiki.corp', 'docs.corp'],
    proxy: 'http://proxy.test:3128',
    contact: 'ops@example.org',
  })
  const keys = ['sk-key', 'header key', 'other-key', 'other header', 'tvly-key', 'brave-key']
  expect(config.secrets).toEqual(['one-token', 'two-token', ...keys])
})

// EVIDENCE-OF docs/configuration.md: | `FALLBACK_BASE_URL` |
// EVIDENCE-OF docs/configuration.md: | `FALLBACK_API_KEY` |
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

// EVIDENCE-OF docs/configuration.md: | `NO_PROXY` |
test('proxies in either case: lower case wins, and a name stands for those below it', () => {
  const { proxies, secrets, misspelt } = readConfig({
    https_proxy: 'http://me:p%40ssword@one:3128',
    HTTPS_PROXY: 'http://two',
    HTTP_PROXY: ' https://token-of-mine@three/ ',
    http_proxy: ' ',
    no_proxy: 'localhost, corp.example .internal,10.0.0.1:8080',
  })
  expect(proxies).toEqual({
    HTTPS_PROXY: 'http://me:p%40ssword@one:3128',
    HTTP_PROXY: 'https://token-of-mine@three/',
    NO_PROXY: 'localhost,.localhost,corp.example,.corp.example,.internal,10.0.0.1:8080',
  })
  expect(secrets).toEqual(expect.arrayContaining(['p@ssword', 'p%40ssword', 'me:p@ssword', 'token-of-mine']))
  expect(misspelt).toEqual([])
  expect(readConfig({ NO_PROXY: 'localhost' })).toMatchObject({ proxies: undefined, secrets: [] })
})

// EVIDENCE-OF README.md: An agent behind `POST /run` and `GET /health` on port 8080: a task comes in as text, the agent works
//   on it with tools, and text and usage metrics go back.
// EVIDENCE-OF docs/configuration.md: The port is always 8080, as the interface wants it: a warning says that `PORT` is not
//   read.
// EVIDENCE-OF docs/reference/image.md: | Port |
test('the port is not a setting', () => {
  expect(PORT).toBe(8080)
  expect({ ...readConfig({ PORT: '9090' }), notRead: [] }).toEqual(readConfig({}))
})

const NOT_SHOWN = 'got something else (not shown)'
const KEY = `expected visible ASCII without spaces, ${NOT_SHOWN}`
const REDIS = `expected redis://host:port/number, redis+sentinel://host:port,host:port/name-of-primary/number or redis+cluster://host:port,host:port, with rediss for TLS and optional user:password@ (percent-encoded); ${NOT_SHOWN}`
const URL_ = `expected an http(s) URL without credentials, ${NOT_SHOWN}`
const PROXY = `expected http:// or https:// with a host and optional user:password@ (percent-encoded) and :port, ${NOT_SHOWN}`
const HEADERS = `expected a JSON object of HTTP header names and values in ASCII, ${NOT_SHOWN}`
const PAIRS = `expected HTTP headers as comma-separated key=value pairs, percent-encoded, ${NOT_SHOWN}`
const PRICES =
  'expected {"input": <dollars>, "output": <dollars>}, with "cached_input" if it differs; got something else'
const OWN =
  'expected none of model, messages, input, tools, tool_choice, stream, max_tokens, max_completion_tokens, max_output_tokens, which the agent sets itself'

/** Wrong values of each kind of setting. */
const wrong: [name: string, value: string, problem: string][] = [
  ['AGENT_ID', 'x'.repeat(100), `expected agent-<number>, got "${'x'.repeat(40)}"`],
  ['AGENT_TOKENS', 'good-token,hunter2 secret', KEY],
  ['AGENT_TOKENS', ' , ', 'expected a token between the commas, got none'],
  ['OPENAI_API_KEY', 'sk-hunter2\nb', KEY],
  ['BRAVE_API_KEY', 'schlüssel', KEY],
  ['OPENAI_API', 'completions', 'expected one of auto, responses, chat, got "completions"'],
  ['WIKIPEDIA_URL', 'localhost:11434', URL_],
  ['WIKIPEDIA_URL', 'file:///etc', URL_],
  ['SEARCH_PROXY', 'https://user:hunter2@host', URL_],
  ['HTTPS_PROXY', 'user:hunter2@proxy:3128', PROXY],
  ['HTTP_PROXY', 'socks5://user:hunter2@proxy', PROXY],
  ['HTTP_PROXY', 'http://user:hunter2%@proxy', PROXY],
  ['HTTP_PROXY', 'http://proxy/path', PROXY],
  ['REDIS_URL', 'localhost:6379', REDIS],
  ['REDIS_URL', 'redis://', REDIS],
  ['REDIS_URL', 'redis://:hunter2%@host', REDIS],
  ['REDIS_URL', 'redis://:hunter2@host:99999', REDIS],
  ['REDIS_URL', 'rediss://host?insecure', REDIS],
  ['REDIS_URL', 'redis://host/db', REDIS],
  ['EFFECT_JOURNAL', 'off', 'expected JOURNAL=off in its place, got "off"'],
  ['STEP_JOURNAL', 'off', 'expected JOURNAL=effects in its place, got "off"'],
  ['STEP_JOURNAL', 'on', 'expected JOURNAL=on in its place, got "on"'],
  ['JOURNAL', 'steps', 'expected one of on, effects, off, got "steps"'],
  ['REDIS_URL', 'redis://one,two', REDIS],
  ['REDIS_URL', 'redis+sentinel://:hunter2@host', REDIS],
  ['REDIS_URL', 'redis+cluster://one,two/1', REDIS],
  ['REDIS_URL', 'redis+sentinel://one,,two/mymaster', REDIS],
  ['REDIS_URL', 'redis+sentinel://host/mymaster?password=hunter2', REDIS],
  ['MODEL_PARAMS', '[1]', `expected a JSON object, ${NOT_SHOWN}`],
  ['MODEL_PARAMS', '{"max_tokens":1}', OWN],
  ['MODEL_HEADERS', '{"X-Key":"hunter2\\n"}', HEADERS],
  ['MODEL_HEADERS', '{"X Key":"hunter2"}', HEADERS],
  ['MODEL_PRICE', '{"input":1}', PRICES],
  ['MODEL_PRICE', '{"input":-1,"output":2}', PRICES],
  ['TEMPERATURE', '0,5', 'expected a number, 0 to 2, got "0,5"'],
  ['RUN_TIMEOUT_SEC', '120', 'expected a number of seconds, 0.1 to 119, got "120"'],
  ['MAX_STEPS', '0x10', 'expected a whole number, 1 to 1000, got "0x10"'],
  ['MAX_OUTPUT_TOKENS', '0', 'expected a whole number, 1 or more, got "0"'],
  ['SEARCH_PORTS', '80,https', 'expected a whole number, 1 to 65535, got "https"'],
  ['WIKIPEDIA_CONTACT', 'Zoë', 'expected an address or e-mail in ASCII, got "Zoë"'],
  ['MCP_CONFIG', '/no/such/mcp.json', '/no/such/mcp.json: expected a readable file, got ENOENT'],
  ['LANGSMITH_TRACING', 'yes', 'expected true or false, got "yes"'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization: Bearer hunter2', PAIRS],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=hunter2%0d%0ab', PAIRS],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Bearer hunter2;b', PAIRS],
]

// EVIDENCE-OF docs/guides/graph.md: The variables keep their names, whatever the provider, so that the key is checked at start and
//   masked everywhere.
// EVIDENCE-OF docs/reference/threat-model.md: Put secrets only in the environment
// EVIDENCE-OF docs/reference/threat-model.md [refuses AGENT_TOKENS=" , ", and shows no secret]: Put secrets only in the environment
test.for(wrong)('refuses %s=%j, and shows no secret', ([name, value, problem]) => {
  const problems = problemsOf({ OTEL_TRACES_EXPORTER: 'otlp', [name]: value })
  expect(problems).toEqual([`${name}: ${problem}`])
  expect(problems.join()).not.toMatch(/hunter2|good-token/)
})

const QUOTES = 'expected no quotes around it; docker --env-file keeps them'
const BREAK = 'expected no \\n at its end; docker --env-file keeps the two characters'
const COMMENT = '; docker --env-file keeps a comment behind a value'

/** Values with what is left of a file's syntax. */
const leftovers: [name: string, value: string, problem: string][] = [
  ['OPENAI_API_KEY', '"sk-hunter2"', QUOTES],
  ['OPENAI_API_KEY', "'sk-hunter2'\r", QUOTES],
  ['OPENAI_API_KEY', 'sk-hunter2\\n', BREAK],
  ['OPENAI_API_KEY', 'sk-hunter2 # mine', `${KEY}${COMMENT}`],
  ['AGENT_TOKENS', '"hunter2","good-token"', QUOTES],
  ['AGENT_ID', '"agent-7"', QUOTES],
  ['MODEL', '"gpt-9"', QUOTES],
  ['MODEL_PARAMS', '\'{"top_p":1}\'', QUOTES],
  ['OPENAI_BASE_URL', '"http://localhost/v1"', QUOTES],
  ['OPENAI_BASE_URL', 'http://localhost/v1 # mine', `${URL_}${COMMENT}`],
  ['WIKIPEDIA_URL', '"https://de.wikipedia.org"', QUOTES],
  ['TAVILY_API_KEY', '"hunter2"', QUOTES],
  ['MAX_STEPS', '"50"', QUOTES],
  ['MAX_STEPS', '50 # few', `expected a whole number, 1 to 1000, got "50 # few"${COMMENT}`],
  ['OTEL_EXPORTER_OTLP_HEADERS', '"authorization=hunter2"', QUOTES],
]

test.for(leftovers)('refuses %s=%j: what a file leaves in a value', ([name, value, problem]) => {
  const problems = problemsOf({ OPENAI_API_KEY: 'a-key', [name]: value })
  expect(problems).toEqual([`${name}: ${problem}`])
  expect(problems.join()).not.toMatch(/hunter2|good-token/)
})

test('refuses them in the secrets of tools, too', () => {
  expect(() => readConfig({ SHOP_KEY: '"hunter2"' }, ['SHOP_KEY'])).toThrow(`SHOP_KEY: ${QUOTES}`)
})

test('takes quotes around a text for people, and names it', () => {
  const tracing = { LANGSMITH_PROJECT: '"Mine"', OTEL_SERVICE_NAME: '"mine"' }
  const own = { AGENT_NAME: '"Ada"', SYSTEM_PROMPT: "'Be brief.'", WIKIPEDIA_CONTACT: '"Ada"' }
  const config = readConfig({ ...own, ...tracing })
  expect(config).toMatchObject({ agent: { name: '"Ada"' }, systemPrompt: "'Be brief.'" })
  const named = Object.keys({ ...own, ...tracing })
  expect(config.leftovers.toSorted()).toEqual(named.map(name => `${name}: ${QUOTES}`).toSorted())
})

test('finds nothing left of a file in values that only have such characters', () => {
  const values = {
    AGENT_NAME: 'The "A" # 1',
    SYSTEM_PROMPT: '# Rules\n"',
    MODEL_HEADERS: '{"X-Title":"Agent # 1"}',
  }
  expect(readConfig(values).leftovers).toEqual([])
})

/** Variables with a secret, and how many characters it needs to be masked. */
const tooShort: [variables: Variables, needed: number][] = [
  [{ OPENAI_API_KEY: 'none' }, 8],
  [{ AGENT_TOKENS: 'good-token,short' }, 8],
  [{ MODEL_HEADERS: '{"Authorization":"Bearer a-long-token","api-key":"short"}' }, 8],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=short' }, 8],
  [{ REDIS_URL: 'redis://:short@db' }, 8],
  [{ HTTPS_PROXY: 'http://a-long-name:short@proxy' }, 8],
  [{ SHOP_KEY: 'short' }, 8],
  [{ DATABASE_URL: 'postgres://app:sh0rt@db' }, 8],
  [{ CRM_KEY: 'sh0rt-key-1' }, 12],
]

// EVIDENCE-OF docs/configuration.md: A secret needs 8 characters to be masked, and 12 to be guessed by its variable's name.
test.for(tooShort)(
  '%j: a secret that cannot be masked is named, with the length it needs',
  ([variables, needed]) => {
    const config = readConfig(variables, ['SHOP_KEY'])
    const [name] = Object.keys(variables)
    expect(config.tooShort).toEqual([
      `${name}: expected ${needed} characters or more to mask a secret in logs and replies, got fewer`,
    ])
    expect(config.maskedByGuess).toEqual([])
  },
)

const longEnough: Variables[] = [
  { OPENAI_API_KEY: '', CRM_KEY: '' },
  { OPENAI_API_KEY: 'long-key', AGENT_TOKENS: 'good-token,long-one' },
  { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a-long-token' },
  {
    CRM_KEY: 'long-key-12c',
    CRM_PASSWORD: 'guest',
    CRM_TOKENS: '4096',
    DATABASE_URL: 'postgres://a:guest@db',
  },
  { CRM_KEY: 'sh0rt', UNMASKED_VARIABLES: 'CRM_KEY' },
]

// EVIDENCE-OF docs/configuration.md: A secret needs 8 characters to be masked, and 12 to be guessed by its variable's name.
test.for(longEnough)('%j: no secret is too short to be masked', variables => {
  expect(readConfig(variables).tooShort).toEqual([])
})

const providers: [variables: Variables, provider: string][] = [
  [{}, 'offline'],
  [{ OPENAI_API_KEY: 'key' }, 'openai'],
  [{ OPENAI_BASE_URL: 'http://localhost/v1', MODEL: 'm', MODEL_PROVIDER: 'offline' }, 'offline'],
]

// EVIDENCE-OF docs/configuration.md: | `MODEL_PROVIDER` |
test.for(providers)('%j: the model provider is %s', ([variables, provider]) => {
  expect(readConfig(variables).model.provider).toBe(provider)
})

const anyWord = '(any word will do if the server needs no key)'
const engine = (provider: string) => `SEARCH_PROVIDER is ${provider}`
const needs: [variables: Variables, name: string, why: string][] = [
  [{ FALLBACK_API_KEY: 'key' }, 'FALLBACK_MODEL', 'FALLBACK_API_KEY is set'],
  [
    { OPENAI_API_KEY: 'key', FALLBACK_MODEL: 'm2', FALLBACK_BASE_URL: 'http://other/v1' },
    'FALLBACK_API_KEY',
    'FALLBACK_BASE_URL is set',
  ],
  [{ MODEL_PROVIDER: 'openai' }, 'OPENAI_API_KEY', `the model provider is openai ${anyWord}`],
  [{ OPENAI_BASE_URL: 'http://localhost/v1' }, 'OPENAI_API_KEY', `OPENAI_BASE_URL is set ${anyWord}`],
  [{ MODEL: 'gpt-4o', OPENAI_API_KEY: '' }, 'OPENAI_API_KEY', `MODEL is set ${anyWord}`],
  [{ FALLBACK_MODEL: 'gpt-4o' }, 'OPENAI_API_KEY', `FALLBACK_MODEL is set ${anyWord}`],
  [{ SEARCH_PROVIDER: 'searxng' }, 'SEARXNG_URL', engine('searxng')],
  [{ SEARCH_PROVIDER: 'tavily' }, 'TAVILY_API_KEY', engine('tavily')],
  [{ SEARCH_PROVIDER: 'brave' }, 'BRAVE_API_KEY', engine('brave')],
]

// EVIDENCE-OF docs/configuration.md [{"SEARCH_PROVIDER":"searxng"} needs SEARXNG_URL]: | `SEARXNG_URL` |
test.for(needs)('%j needs %s', ([variables, name, why]) => {
  expect(problemsOf(variables)).toEqual([`${name}: expected a value, since ${why}; got nothing`])
})

test("a missing key: another provider's is named as not read", () => {
  expect(problemsOf({ MODEL: 'claude', ANTHROPIC_API_KEY: 'sk-ant-key' })).toEqual([
    `OPENAI_API_KEY: expected a value, since MODEL is set ${anyWord}; got nothing`,
    'ANTHROPIC_API_KEY: not read; OPENAI_API_KEY is the key of any provider; see docs/guides/models.md',
  ])
})

test('names of other programs for our variables are told, with ours', () => {
  const others = { OPENAI_API_BASE: 'http://own.test/v1', REDIS_HOST: 'redis' }
  const told = (env: Record<string, string>) =>
    readConfig({ OPENAI_API_KEY: 'sk-key', ...others, ...env }).notRead
  expect(told({})).toEqual([
    { name: 'OPENAI_API_BASE', instead: 'set OPENAI_BASE_URL' },
    { name: 'REDIS_HOST', instead: 'set REDIS_URL' },
  ])
  expect(told({ OPENAI_BASE_URL: 'http://own.test/v1' })).toMatchObject([{ name: 'REDIS_HOST' }])
})

test('reads the secrets that tools declare, keeps them secret, and checks them like keys', () => {
  const declared = ['SHOP_KEY', 'POST_KEY']
  const { toolSecrets, secrets } = readConfig({ SHOP_KEY: ' shop-key ', POST_KEY: ' ', OTHER: 'x' }, declared)
  expect(toolSecrets).toEqual({ SHOP_KEY: 'shop-key' })
  expect(secrets).toEqual(['shop-key'])
  expect(() => readConfig({ SHOP_KEY: 'two words' }, declared)).toThrow(`SHOP_KEY: ${KEY}`)
})

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const fileWith = (text: string) => {
    const file = join(folder, crypto.randomUUID())
    writeFileSync(file, text)
    return file
  }

  // EVIDENCE-OF docs/configuration.md: The value of a secret may come from a file
  test('its value is what the file holds, for each kind of variable, and is masked', () => {
    const files = {
      AGENT_TOKENS: 'one-token, two-token\n',
      OPENAI_API_KEY: 'sk-key-of-ours\r\n',
      TAVILY_API_KEY: 'tvly-key-of-ours',
      REDIS_URL: 'redis://:hunter-of-ours@host\n',
      LANGSMITH_API_KEY: 'lsv2-of-ours\n',
      SHOP_KEY: 'shop-key-of-ours\n',
    }
    const named = Object.entries(files).map(([name, text]) => [`${name}_FILE`, fileWith(text)])
    const read = readConfig({ ...Object.fromEntries(named), OPENAI_API_KEY: ' ' }, ['SHOP_KEY'])
    expect(read).toEqual(readConfig(files, ['SHOP_KEY']))
    expect(read.toolSecrets).toEqual({ SHOP_KEY: 'shop-key-of-ours' })
    for (const text of ['two-token', 'sk-key-of-ours', 'hunter-of-ours', 'shop-key-of-ours'])
      expect(read.secrets).toContain(text)
  })

  // EVIDENCE-OF docs/configuration.md: If both are set, or the file is empty or cannot be read, the process does not start.
  test.each([
    [
      'both are set',
      { OPENAI_API_KEY: 'sk-key' },
      () => fileWith('sk-other'),
      'it or OPENAI_API_KEY, got both',
    ],
    ['there is none', { MODEL: 'm' }, () => join(folder, 'none'), 'a file that can be read, got ENOENT'],
    ['it is a folder', {}, () => folder, 'a file that can be read, got EISDIR'],
    ['it is empty', {}, () => fileWith(' \n'), 'a secret in the file, got nothing'],
  ])('refuses to start if %s', (_what, others, file, problem) => {
    const name = 'OPENAI_API_KEY_FILE'
    expect(problemsOf({ ...others, [name]: file() })).toEqual([`${name}: expected ${problem}`])
  })

  test('neither the path nor what a wrong file holds is shown', () => {
    const path = fileWith('two words')
    const read = () => readConfig({ OPENAI_API_KEY_FILE: path })
    expect(read).toThrow(`OPENAI_API_KEY_FILE: ${KEY}`)
    expect(read).not.toThrow('two words')
    expect(() => readConfig({ OPENAI_API_KEY_FILE: 'sk-key-in-place-of-a-path' })).not.toThrow('sk-key')
  })

  test('a misspelt name is refused, as that of the secret is', () => {
    const read = () => readConfig({ AGENT_TOKNES_FILE: '/run/secrets/tokens' })
    expect(read).toThrow('AGENT_TOKNES_FILE: unknown; did you mean AGENT_TOKENS_FILE?')
    expect(readConfig({ AGENT_TOKEN_FILE: '/x', AGENT_TOKENS: 'a-token-of-ours' }).misspelt).toEqual([])
    expect(readConfig({ OPENAI_KEY: 'x', OPENAI_API_KEY: 'a-key-of-ours' }).misspelt).toEqual([])
    expect(readConfig({ AGENT_FILE: '/x' }).misspelt).toEqual([])
  })
})

const misspelt: [given: string, meant: string][] = [
  ['OPENAI_URL', 'OPENAI_BASE_URL'],
  ['MODL', 'MODEL'],
  ['RUN_TIMEOUT', 'RUN_TIMEOUT_SEC'],
  ['export MODEL', 'MODEL'],
]

// EVIDENCE-OF docs/configuration.md: The port is always 8080, as the interface wants it: a warning says that `PORT` is not
//   read.
test.for(misspelt)('%s: did you mean %s?', ([name, meant]) => {
  expect(readConfig({ [name]: 'info' }, ['SHOP_KEY']).misspelt).toEqual([{ name, meant }])
  expect(readConfig({ [name]: '' }, ['SHOP_KEY']).misspelt).toEqual([])
})

const misspeltSecrets: [given: string, meant: string][] = [
  ['AGENT_TOKNES', 'AGENT_TOKENS'],
  ['OPENAI_KEY', 'OPENAI_API_KEY'],
  ['openai_api_key', 'OPENAI_API_KEY'],
  ['LANGSMITH_API_KY', 'LANGSMITH_API_KEY'],
  ['SHOP_KY', 'SHOP_KEY'],
  ['SHOP_KYE', 'SHOP_KEY'],
  ['export SHOP_KEY', 'SHOP_KEY'],
]

// EVIDENCE-OF docs/configuration.md: `docker run --env-file` keeps quotes around a value and a comment behind it, unlike
//   Compose and Node: an error says so.
// EVIDENCE-OF docs/reference/threat-model.md: The process refuses to start with a wrong setting and does not print its value.
test.for(misspeltSecrets)('%s for the secret %s: refused, without its value', ([name, meant]) => {
  const read = () => readConfig({ [name]: 'some-value' }, ['SHOP_KEY'])
  expect(read).toThrow(`${name}: unknown; did you mean ${meant}?`)
  expect(read).not.toThrow('some-value')
  expect(readConfig({ [name]: 'some-value', [meant]: 'a-value' }, ['SHOP_KEY']).misspelt).toEqual([])
})

test('names variables that are not read, unless they say what holds anyway', () => {
  const vain = {
    PORT: '8099',
    HOST: '127.0.0.1',
    LOG_FORMAT: 'pretty',
    MAX_LOST_REPLICAS: '3',
    LOG_LEVEL_FILE: '/run/level',
  }
  const { notRead } = readConfig(vain)
  expect(notRead.map(({ name }) => name)).toEqual(Object.keys(vain))
  expect(notRead[0]!.instead).toContain(`always ${PORT}`)
  expect(notRead.at(-1)!.instead).toBe('only secrets are read from files; set LOG_LEVEL')
  const same = {
    PORT: '8080',
    HOST: '0.0.0.0',
    LOG_FORMAT: 'json',
    MAX_LOST_REPLICAS: ' ',
    LOG_LEVEL_FILE: ' ',
    CRM_FILE: '/crm',
  }
  expect(readConfig(same).notRead).toEqual([])
  expect(readConfig({ HOST: 'x86_64-conda-linux-gnu' }).notRead).toEqual([])
})

test('a variable that is set may have a near neighbour; a missing one may be misspelt', () => {
  expect(readConfig({ MODL: 'x', MODEL: 'y', OPENAI_API_KEY: 'key' }).misspelt).toEqual([])
  expect(problemsOf({ OPENAI_KEY: 'sk-key', OPENAI_BASE_URL: 'http://localhost/v1' })).toEqual([
    expect.stringMatching(/^OPENAI_API_KEY: expected a value/),
    'OPENAI_KEY: unknown; did you mean OPENAI_API_KEY?',
  ])
})

test('suspects no typo in the environments of shells, CI, clusters and other tools', () => {
  const others = readFileSync(new URL('environments.txt', import.meta.url), 'utf8').split(/\s+/)
  expect(readConfig(Object.fromEntries(others.map(name => [name, 'http://x']))).misspelt).toEqual([])
})
