import { Random } from '@agent-task-service/test-support/random'
import { type Task, TOOLS } from '../second-agent/request.ts'
import { json, type Outcome, SecondAgent } from '../second-agent/second-agent.ts'
import { thinkingAgent } from '../thinking-agent/thinking-agent.ts'
import { CALL_TOKENS, CallingAgent } from './calling-agent.ts'
import { type Change, CUT, type Run } from './faulty-agent.ts'

/** An agent with one fault, of which every detail was drawn. */
export interface Drawn {
  readonly does: string
  readonly change: Change
  readonly Base?: typeof SecondAgent
  /** The interface denies it, and its replies or its log show it; default: it is. */
  readonly denied?: boolean
}

interface Kind {
  /** The assertions whose failure names the fault: ids, or how they begin. */
  readonly names: readonly string[]
  readonly draw: (random: Random) => Drawn
}

type Named<Value> = readonly [words: string, value: Value]
const OVERLAP_MS = 50
const PLAIN = { systemPrompt: 'Answer in one short line.', maxTokens: undefined, tools: TOOLS }
const ERROR = { status: 'error', output: '', metrics: {}, error: 'failed' }

/** How a run that is wrong ends. */
const WAYS: readonly Named<Change>[] = [
  ['answers 500', { reply: () => json(500, { message: 'fault' }) }],
  ['answers 503', { reply: () => json(503, { message: 'fault' }) }],
  ['answers 422', { reply: () => json(422, { message: 'unprocessable' }) }],
  ['hangs up', { reply: () => CUT }],
  ['says "error"', { body: body => ({ ...body, ...ERROR }) }],
  ['answers something else', { outcome: said => ({ ...said, text: 'I do not know.' }) }],
]

/** Runs that have a fault: mostly all. */
function someRuns(random: Random): Named<NonNullable<Change['when']>> {
  const n = random.whole(2, 3)
  if (random.happens(0.8)) return ['', () => true]
  return random.pick<Named<NonNullable<Change['when']>>>([
    [`, once in ${n} runs`, ({ earlier }) => earlier.length % n === n - 1],
    [', in runs with config', ({ config }) => Object.keys(config).length > 0],
    [', in runs without config', ({ config }) => Object.keys(config).length === 0],
  ])
}

function spelling(random: Random): Drawn {
  const header = (run: Run, form: RegExp) => run.call.request.rawHeaders.some(one => form.test(one))
  const type = ({ call }: Run) => call.headers['content-type'] ?? ''
  const members = ({ call }: Run) => Object.keys(JSON.parse(call.body))
  const most = random.whole(200, 1_000)
  const [spelt, when] = random.pick<Named<NonNullable<Change['when']>>>([
    ['escaped letters', ({ call }) => /\\u00[a-f\d]{2}/i.test(call.body)],
    ['escaped pairs', ({ call }) => /\\ud[89ab][a-f\d]{2}\\ud/i.test(call.body)],
    ['an escaped solidus', ({ call }) => call.body.includes('\\/')],
    ['another first member than task_id', run => members(run)[0] !== 'task_id'],
    ['config before input', run => members(run).indexOf('config') > members(run).indexOf('input')],
    ['a chunked body', ({ call }) => call.headers['transfer-encoding'] !== undefined],
    ['a body in two parts', ({ parts }) => parts > 1],
    ['a media type with a parameter', run => type(run).includes(';')],
    ['a media type in other case', run => /[A-Z]/.test(type(run).split(';')[0]!)],
    ['a character set in upper case', run => /UTF-8/.test(type(run))],
    ['headers in upper case', run => header(run, /^CONTENT-TYPE$/)],
    ['headers in title case', run => header(run, /^(Content-Type|Authorization)$/)],
    [
      'an empty config',
      ({ config, call }) => 'config' in JSON.parse(call.body) && Object.keys(config).length === 0,
    ],
    ['indented JSON', ({ call }) => /^\s*\{\s*\n/.test(call.body)],
    ['blanks around its JSON', ({ call }) => call.body !== call.body.trim()],
    [`an input over ${most} characters`, ({ task }) => task.input.length > most],
  ])
  const [how, change] = random.pick<Named<Change>>([
    ...WAYS,
    ['takes no config', { task: task => ({ ...task, ...PLAIN }) }],
  ])
  // What has no config loses none.
  const isSeen = how !== 'takes no config'
  return { does: `${how} to ${spelt}`, change: { ...change, when }, denied: isSeen }
}

/** The ways of a text that something changes, each time alike. */
function rewriting(random: Random): Named<(text: string) => string> {
  const length = random.whole(60, 2_500)
  const alphabet = random.pick(['Cyrillic', 'Greek', 'Arabic', 'Han', 'Hebrew', 'Devanagari'])
  const sign = random.pick(['', '?', '\ufffd'])
  return random.pick<Named<(text: string) => string>>([
    ['brings it to NFC', text => text.normalize('NFC')],
    ['brings it to NFKC', text => text.normalize('NFKC')],
    ['brings it to NFD', text => text.normalize('NFD')],
    [
      'sets typographic quotes',
      text => text.replace(/"(\S)/g, '“$1').replaceAll('"', '”').replaceAll("'", '’'),
    ],
    ['sets typewriter quotes', text => text.replace(/[“”„]/g, '"').replace(/[‘’]/g, "'")],
    ['makes of CRLF LF', text => text.replaceAll('\r\n', '\n')],
    ['makes of LF CRLF', text => text.replace(/\r?\n/g, '\r\n')],
    [`cuts it at ${length} characters`, text => text.slice(0, length)],
    [
      `cuts its middle beyond ${length} characters`,
      text => (text.length > length ? text.slice(0, length / 2) + text.slice(-length / 2) : text),
    ],
    [`makes "${sign}" of astral characters`, text => text.replace(/[\u{10000}-\u{10ffff}]/gu, sign)],
    [
      `makes "${sign}" of ${alphabet}`,
      text => text.replace(new RegExp(`\\p{Script=${alphabet}}`, 'gu'), sign),
    ],
    ['collapses blanks', text => text.replace(/[ \t]+/g, ' ')],
    ['drops empty lines', text => text.replace(/\n\s*\n/g, '\n')],
    ['drops what is in braces', text => text.replace(/\{[^{}]*\}/g, '')],
    ['takes double braces as single ones', text => text.replaceAll('{{', '{').replaceAll('}}', '}')],
    ['drops backslashes', text => text.replaceAll('\\', '')],
    ['reads entities', text => text.replaceAll('&amp;', '&').replaceAll('&lt;', '<')],
    ['drops tags', text => text.replace(/<[^<>]*>/g, '')],
  ])
}

function fidelity(random: Random): Drawn {
  const [how, rewrite] = rewriting(random)
  const [runs, when] = someRuns(random)
  const [where, change] = random.pick<Named<Change>>([
    ['input', { task: task => ({ ...task, input: rewrite(task.input) || '?' }) }],
    ['output', { outcome: said => ({ ...said, text: rewrite(said.text) }) }],
    ['system prompt', { task: task => ({ ...task, systemPrompt: rewrite(task.systemPrompt) }) }],
  ])
  // Of a system prompt, others see how many tokens it has.
  const denied = where !== 'system prompt' || how.startsWith('cuts')
  return { does: `of the ${where}, ${how}${runs}`, change: { ...change, when }, denied }
}

type Metrics = Parameters<NonNullable<Change['metrics']>>[0]

function metrics(random: Random): Drawn {
  const [runs, when] = someRuns(random)
  const n = random.whole(4, 20)
  const divided = (own: Metrics, name: keyof Metrics) => ({ ...own, [name]: Math.ceil(own[name] / n) })
  const first = ({ task }: Run, { steps, input_tokens: all }: Metrics) =>
    Math.round(all / steps - ((CALL_TOKENS + 10) * (steps - 1)) / 2) || task.input.length
  const [how, change, denied = true] = random.pick<
    readonly [...Named<NonNullable<Change['metrics']>>, boolean?]
  >([
    ['duration of the last call', own => ({ ...own, duration_sec: own.duration_sec / own.steps })],
    ['half the duration', own => ({ ...own, duration_sec: own.duration_sec / 2 })],
    ['twice the duration', own => ({ ...own, duration_sec: own.duration_sec * 2 })],
    ['duration in milliseconds', own => ({ ...own, duration_sec: own.duration_sec * 1_000 })],
    [`a duration of ${n} s`, own => ({ ...own, duration_sec: n })],
    [
      'characters as input tokens',
      (own, { task }) => ({ ...own, input_tokens: task.input.length + task.systemPrompt.length }),
    ],
    ['output tokens by four', own => ({ ...own, output_tokens: own.output_tokens * 4 })],
    ['input tokens of the first call', (own, run) => ({ ...own, input_tokens: first(run, own) })],
    // Its caller sees no other than these.
    [
      'output tokens of the last call',
      own => ({ ...own, output_tokens: own.output_tokens - (own.steps - 1) * CALL_TOKENS }),
      false,
    ],
    [`input tokens by 1/${n}`, own => divided(own, 'input_tokens')],
    [`output tokens by 1/${n}`, own => divided(own, 'output_tokens')],
    [
      'input and output tokens exchanged',
      own => ({ ...own, input_tokens: own.output_tokens, output_tokens: own.input_tokens }),
    ],
    [`${n} steps for all`, own => ({ ...own, steps: n }), false],
    ['steps of the model', own => ({ ...own, steps: Math.ceil(own.steps / 2) }), false],
    [
      `steps of ${n} runs`,
      (own, { ended }) => ({
        ...own,
        steps: ended.slice(-n).reduce((sum, one) => sum + one.metrics.steps, own.steps),
      }),
    ],
    [
      `input tokens of ${n} runs`,
      (own, { ended }) => ({
        ...own,
        input_tokens: ended.slice(-n).reduce((sum, one) => sum + one.metrics.input_tokens, own.input_tokens),
      }),
    ],
  ])
  return { does: `reports ${how}${runs}`, change: { metrics: change, when }, Base: CallingAgent, denied }
}

const MEMBERS = { system_prompt: 'systemPrompt', max_tokens: 'maxTokens', enabled_tools: 'tools' } as const
type Member = keyof typeof MEMBERS

function config(random: Random): Drawn {
  const [runs, when] = someRuns(random)
  const member = random.pick(Object.keys(MEMBERS) as Member[])
  const other = random.pick((Object.keys(MEMBERS) as Member[]).filter(one => one !== member))
  const without = (task: Task): Task => ({ ...task, [MEMBERS[member]]: PLAIN[MEMBERS[member]] })
  const has = ({ config }: Run, name: Member) => config[name] !== undefined
  const n = random.whole(1, 6)
  const [how, task] = random.pick<Named<NonNullable<Change['task']>>>([
    ['is ignored', without],
    [`is ignored beside ${other}`, (task, run) => (has(run, other) ? without(task) : task)],
    [`is ignored without ${other}`, (task, run) => (has(run, other) ? task : without(task))],
    [
      'is ignored beside all others',
      (task, run) => (Object.keys(run.config).length > 2 ? without(task) : task),
    ],
    [
      `is kept for ${n} runs`,
      (task, run) => {
        const kept = run.earlier.slice(-n).findLast(one => one[MEMBERS[member]] !== PLAIN[MEMBERS[member]])
        return kept && !has(run, member) ? { ...task, [MEMBERS[member]]: kept[MEMBERS[member]] } : task
      },
    ],
    [
      'is that of the run before',
      (task, { earlier }) => ({ ...task, [MEMBERS[member]]: (earlier.at(-1) ?? task)[MEMBERS[member]] }),
    ],
    [
      'is that of the last run to arrive',
      (task, { latest }) => ({ ...task, [MEMBERS[member]]: latest()[MEMBERS[member]] }),
    ],
    ['holds for the first call', task => (/\d/.test(task.input) ? without(task) : task)],
  ])
  return {
    does: `${member} ${how}${runs}`,
    change: { task, when, takes: OVERLAP_MS },
    Base: random.pick([CallingAgent, CallingAgent, thinkingAgent(random.whole(1, 1_000))]),
  }
}

function memory(random: Random): Drawn {
  const n = random.whole(1, 30)
  const length = random.whole(20, 60)
  const [words, keyOf] = random.pick<Named<(text: string) => string>>([
    ['its letters', text => text.replace(/[^\p{L}\p{N}]+/gu, '')],
    ['any case', text => text.toLowerCase()],
    ['no digits', text => text.replace(/\d/g, '')],
    [`${length} characters`, text => text.slice(0, length)],
    ['its words in any order', text => text.split(/\W+/).toSorted().join(' ')],
    ['its length', text => String(text.length)],
  ])
  const known = (run: Run, of: Run['ended']): Outcome | undefined =>
    of.find(
      ({ task, outcome }) => outcome.status === 'success' && keyOf(task.input) === keyOf(run.task.input),
    )?.outcome
  const equal = (run: Run) =>
    run
      .begun()
      .find(({ id, input }) => input === run.task.input && !run.ended.some(({ task }) => task.id === id))
  return random.pick<Drawn>([
    { does: `knows a task by ${words}`, change: { outcome: (said, run) => known(run, run.ended) ?? said } },
    {
      does: `knows the last ${n} tasks by ${words}`,
      change: { outcome: (said, run) => known(run, run.ended.slice(-n)) ?? said },
    },
    {
      does: 'answers equal tasks at once with one id',
      change: { takes: OVERLAP_MS, body: (body, run) => ({ ...body, task_id: (equal(run) ?? run.task).id }) },
    },
    {
      does: `mixes up tasks at once, once in ${1 + (n % 4)}`,
      change: {
        takes: OVERLAP_MS,
        task: (task, { latest, earlier }) =>
          earlier.length % (1 + (n % 4)) === 0 ? { ...latest(), id: task.id } : task,
      },
    },
    {
      does: `says what the task before was, once in ${1 + (n % 4)}`,
      change: {
        outcome: (said, { earlier }) => ({
          ...said,
          text:
            earlier.length % (1 + (n % 4)) === 0 ? `${said.text}\n${earlier.at(-1)?.input ?? ''}` : said.text,
        }),
      },
    },
  ])
}

function pattern(random: Random): Drawn {
  const [how, change] = random.pick(WAYS.filter(([words]) => words !== 'answers 422'))
  const chance = 1 / random.whole(4, 30)
  const n = random.whole(5, 80)
  const width = random.whole(100, 400)
  const [when, runs] = random.pick<readonly [NonNullable<Change['when']>, string, Change?]>([
    [() => random.happens(chance), `at random, once in ${1 / chance}`],
    [({ earlier }) => earlier.length >= n, `from request ${n} on`],
    [({ overlaps }) => overlaps, 'beside others'],
    [() => Date.now() % 1_000 > 1_000 - width, `in the last ${width} ms of a second`],
    [({ ended }) => ended.at(-1)?.outcome.status === 'error', 'after an error'],
  ])
  const slots = random.whole(1, 3)
  return random.happens(0.75)
    ? { does: `${how} ${runs}`, change: { ...change, when, takes: OVERLAP_MS } }
    : random.pick<Drawn>([
        { does: 'answers no run after a hang-up', change: { takes: 200, hungUp: 'fails' } },
        {
          does: `loses one of ${8 * slots} slots at each hang-up`,
          change: { takes: OVERLAP_MS, slots: 8 * slots },
          denied: slots === 1,
        },
        { does: 'answers no run after half a body', change: { half: 'breaks' } },
      ])
}

function logged(random: Random): Drawn {
  const length = random.whole(8, 27)
  const wide = random.happens(0.5)
  const written = (text: string) => (wide ? [...text].join('\0') : text)
  const [what, change] = random.pick<Named<Change>>([
    [
      `${length} characters of tokens`,
      { logs: ({ headers }) => written(headers.authorization?.slice(7, 7 + length) ?? '') },
    ],
    [
      `${length} characters of keys`,
      { logs: ({ headers }) => written(String(headers['x-api-key'] ?? '').slice(0, length)) },
    ],
    [
      `${length} characters of its environment`,
      {
        outcome: (said, { environment, log }) => {
          log(
            written(
              Object.values(environment ?? {})
                .map(value => value?.slice(0, length))
                .join(' '),
            ),
          )
          return said
        },
      },
    ],
    [
      'inputs',
      {
        outcome: (said, { task, log }) => {
          log(written(task.input))
          return said
        },
      },
    ],
  ])
  return {
    does: `logs ${what}${wide ? ' in UTF-16' : ''}`,
    change,
    denied: what === 'inputs' || length >= 12,
  }
}

export const kinds: Readonly<Record<string, Kind>> = {
  'spellings of a request': {
    draw: spelling,
    names: ['run.spelling', 'run.charset', 'run.bare_request', 'run.empty_config', 'run.long_input'],
  },
  'texts changed': {
    draw: fidelity,
    names: [
      'run.letters',
      'run.lines',
      'run.second_line',
      'run.long_input',
      'run.fidelity',
      'run.system_prompt_counts',
    ],
  },
  metrics: { draw: metrics, names: ['metrics', 'run.system_prompt_counts'] },
  'members of config': {
    draw: config,
    names: [
      'run.system_prompt',
      'run.max_tokens',
      'run.enabled_tools',
      'run.disabled_tools',
      'run.config',
      'run.concurrent_config',
      'run.no_tools',
      'run.tools',
    ],
  },
  memory: {
    draw: memory,
    names: [
      'run.concurrent',
      'run.no_memory',
      'run.config_each',
      'run.task_id',
      'run.equal',
      'run.memo',
      'run.letters',
    ],
  },
  patterns: {
    draw: pattern,
    names: ['run.steady', 'run.concurrent', 'run.after_hang_up', 'run.half_sent', 'run.pattern'],
  },
  logs: { draw: logged, names: ['logs'] },
}

/** The fault of a kind that a seed draws, as an agent, and how long its runs take at least. */
export function drawnOf(kind: string, seed: number) {
  // Kinds draw apart from each other.
  const random = new Random(seed * 1_000 + Object.keys(kinds).indexOf(kind))
  const drawn = kinds[kind]!.draw(random)
  const thinking = thinkingAgent(random.whole(1, 1_000))
  const Base = drawn.Base ?? random.pick([SecondAgent, CallingAgent, thinking])
  return {
    ...drawn,
    Base,
    isVaried: Base !== SecondAgent && Base !== CallingAgent,
    thinkMs: random.pick([20, 100, 400]),
  }
}
