import { isIP } from 'node:net'
import { distance } from 'fastest-levenshtein'
import type { RawVariables } from '../agent/extra.ts'
import { fileVariable } from './secret-files.ts'

/** Variables that somebody may expect to be read, or that once were: which values ask for something else than what holds. */
const NOT_READ: readonly (readonly [
  name: string,
  asksForMore: (value: string) => boolean,
  instead: string,
])[] = [
  [
    'PORT',
    value => value !== '8080',
    'the port is always 8080; publish it as another: docker run --publish 9000:8080',
  ],
  [
    'HOST',
    isOneAddress,
    'the service listens on every address; publish it on one: docker run --publish 127.0.0.1:8080:8080',
  ],
  ['LOG_FORMAT', value => value !== 'json', 'the log is JSON; npm run dev shows it as text'],
  [
    'MAX_LOST_REPLICAS',
    value => value !== '2',
    'a task is always given up once two replicas that ran it were lost',
  ],
]

/** Names of other programs for what ours have, with what to set. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  OPENAI_API_BASE: 'OPENAI_BASE_URL',
  OPENAI_MODEL: 'MODEL',
  OPENAI_MODEL_NAME: 'MODEL',
  REDIS_HOST: 'REDIS_URL',
}

/** Some shells set the machine's name, and some compilers their platform. */
function isOneAddress(value: string): boolean {
  return value === 'localhost' || (isIP(value) !== 0 && !['0.0.0.0', '::'].includes(value))
}

/** Providers whose clients read `<PROVIDER>_API_KEY` by themselves. */
const PROVIDERS = [
  ...['ANTHROPIC', 'AZURE_OPENAI', 'CEREBRAS', 'COHERE', 'DEEPSEEK', 'FIREWORKS', 'GEMINI', 'GOOGLE', 'GROQ'],
  ...['MISTRAL', 'OPENROUTER', 'PERPLEXITY', 'TOGETHER', 'XAI'],
]

/** The keys of providers that are set and not ours, with what holds while no key of ours is. */
export function otherKeysIn(variables: RawVariables, known: readonly string[]) {
  const instead = 'OPENAI_API_KEY is the key of any provider; see docs/guides/models.md'
  return PROVIDERS.map(provider => `${provider}_API_KEY`)
    .filter(name => variables[name]?.trim() && !known.includes(name))
    .map(name => ({ name, instead }))
}

/** Packages that an agent may do without, with the variables that ask for what they do. */
const PACKAGES = [
  {
    add: 'share: redis()',
    from: '@agent-task-service/share',
    variables: ['REDIS_URL', 'REDIS_REPLICAS', 'JOURNAL'],
  },
  {
    add: 'observe: [openTelemetry()]',
    from: '@agent-task-service/observe',
    variables: [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
      'OTEL_TRACES_EXPORTER',
      'OTEL_METRICS_EXPORTER',
    ],
  },
  { add: 'moreTools: [mcp()]', from: '@agent-task-service/mcp', variables: ['MCP_CONFIG'] },
]

/**
 * Variables that are set in vain, with what holds instead.
 *
 * @param known names of those that are read
 * @param ofExtras those that packages which the agent names do not read, with what holds instead
 */
export function notReadIn(
  variables: RawVariables,
  known: readonly string[],
  ofExtras: Readonly<Record<string, string>>,
) {
  const never = NOT_READ.flatMap(([name, asksForMore, instead]) => {
    const value = variables[name]?.trim()
    return value && asksForMore(value) ? [{ name, instead }] : []
  })
  const files = known
    .map(name => ({ name: fileVariable(name), instead: `only secrets are read from files; set ${name}` }))
    .filter(({ name }) => variables[name]?.trim() && !known.includes(name))
  const renamed = Object.entries(OTHER_NAMES)
    .filter(([name, ours]) => !known.includes(name) && variables[name]?.trim() && !variables[ours]?.trim())
    .map(([name, ours]) => ({ name, instead: `set ${ours}` }))
  const others = Object.entries(ofExtras).filter(([name]) => variables[name]?.trim())
  const unnamed = PACKAGES.flatMap(({ add, from, variables: ofPackage }) =>
    ofPackage
      .filter(name => !known.includes(name) && asks(name, variables))
      .map(name => ({ name, instead: `src/agent.ts names no package for it; add ${add} from ${from}` })),
  )
  return [...never, ...files, ...renamed, ...others.map(([name, instead]) => ({ name, instead })), ...unnamed]
}

/** Whether a package would do something if it were there. */
function asks(name: string, variables: RawVariables): boolean {
  const isOff = name.startsWith('OTEL_') && variables.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true'
  return !isOff && !['', 'none'].includes(variables[name]?.trim() ?? '')
}

const FILE = /_FILE$/

/** Close to one of our names, but set for other programs: `MODE` by Vite. */
const SET_BY_OTHERS = ['MODE', 'FTP_PROXY', 'ftp_proxy']

/** Variables we do not know whose name is close to one of `ours` that is not set, with the one that was probably meant. */
export function misspeltIn(variables: RawVariables, ours: readonly string[]) {
  const isSet = (name: string) => variables[name]?.trim()
  const unset = ours.filter(name => !isSet(name) && !isSet(name.replace(FILE, '')))
  const known = [...ours, ...SET_BY_OTHERS]
  return Object.keys(variables).flatMap(name => {
    if (known.includes(name) || !variables[name]?.trim()) return []
    const meant = unset.find(each => isNear(name.replace(/^export\s+/, '').toUpperCase(), each))
    return meant === undefined ? [] : [{ name, meant }]
  })
}

/** One typo, two in a long name, two letters swapped, or a missing word: OPENAI_KEY. */
function isNear(name: string, ours: string): boolean {
  // That both are files is no sign by itself.
  if (FILE.test(ours) && FILE.test(name)) return isNear(name.replace(FILE, ''), ours.replace(FILE, ''))
  const typos = distance(name, ours)
  return typos <= Math.min(2, Math.floor(ours.length / 5)) || isSwapped(name, ours) || isAbridged(name, ours)
}

function isSwapped(name: string, ours: string): boolean {
  const at = [...ours].findIndex((letter, index) => letter !== name[index])
  const [one = '', other = ''] = ours.slice(at, at + 2)
  return at >= 0 && name === `${ours.slice(0, at)}${other}${one}${ours.slice(at + 2)}`
}

function isAbridged(name: string, ours: string): boolean {
  const words = name.split('_')
  const [first, ...rest] = ours.split('_')
  const isInOrder = words.slice(1).every(word => {
    const index = rest.indexOf(word)
    return rest.splice(0, index + 1).length > 0
  })
  return words.length > 1 && words[0] === first && isInOrder && !FILE.test(ours)
}
