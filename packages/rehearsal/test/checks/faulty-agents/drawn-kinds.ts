import { Random } from '@agent-task-service/test-support/random'
import { type Task, TOOLS } from '../second-agent/request.ts'
import { json, SecondAgent } from '../second-agent/second-agent.ts'
import { thinkingAgent } from '../thinking-agent/thinking-agent.ts'
import { CALL_TOKENS, CallingAgent } from './calling-agent.ts'
import { type Change, CUT, type Run } from './faulty-agent.ts'

/** A fault of which every detail was drawn. */
interface Drawn {
  readonly does: string
  readonly change: Change
  readonly Base?: typeof SecondAgent
  /** The contract leaves it open, or nobody sees it from outside. */
  readonly isOpen?: boolean
  /** The first lines that name it; default: those of its kind. */
  readonly names?: RegExp
}

interface Kind {
  readonly names: RegExp
  readonly draw: (random: Random) => Drawn
}

type When = NonNullable<Change['when']>
type Metrics = NonNullable<Change['metrics']>

/** How long runs last that are to overlap. */
const OVERLAP_MS = 50
const PLAIN = { systemPrompt: 'Answer in one short line.', maxTokens: undefined, tools: TOOLS }
const ERROR = { status: 'error', output: '', metrics: {}, error: 'failed' }

const oneOf = <Value>(random: Random, values: Readonly<Record<string, Value>>) =>
  random.pick(Object.entries(values))

/** How a run goes wrong. */
const WAYS: Readonly<Record<string, Change>> = {
  'answers 500': { reply: () => json(500, { message: 'fault' }) },
  'answers 503': { reply: () => json(503, { message: 'fault' }) },
  'answers 422': { reply: () => json(422, { message: 'unprocessable' }) },
  'hangs up': { reply: () => CUT },
  'says "error"': { body: body => ({ ...body, ...ERROR }) },
  'answers something else': { outcome: said => ({ ...said, text: 'I do not know.' }) },
}

const BARE = ', in runs without config'

/** All runs, mostly. */
function someRuns(random: Random): [string, When] {
  if (random.happens(0.8)) return ['', () => true]
  const n = random.whole(2, 3)
  return oneOf<When>(random, {
    [`, once in ${n} runs`]: ({ earlier }) => earlier.length % n === n - 1,
    ', in runs with config': ({ config }) => Object.keys(config).length > 0,
    [BARE]: ({ config }) => Object.keys(config).length === 0,
  })
}

function spelling(random: Random): Drawn {
  const named = (form: RegExp, { call }: Run) => call.request.rawHeaders.some(one => form.test(one))
  const type = ({ call }: Run) => call.headers['content-type'] ?? ''
  const members = ({ call }: Run) => Object.keys(JSON.parse(call.body))
  const [spelt, when] = oneOf<When>(random, {
    'escaped letters': ({ call }) => /\\u00[a-f\d]{2}/i.test(call.body),
    'any escape but of control characters': ({ call }) => /\\u(?!00[01])/i.test(call.body),
    'another first member than task_id': run => members(run)[0] !== 'task_id',
    'config before input': run => /config.*input/.test(members(run).join()),
    'a chunked body': ({ call }) => call.headers['transfer-encoding'] !== undefined,
    'a body in two parts': ({ parts }) => parts > 1,
    'a media type with a parameter': run => type(run).includes(';'),
    'a media type in other case': run => /[A-Z]/.test(type(run).split(';')[0]!),
    'headers in capitals': run => named(/^AUTHORIZATION$/, run),
    'headers in title case': run => named(/^Content-Type$/, run),
    'an empty config': ({ call }) => /"config":\s*\{\s*\}/.test(call.body),
    'indented JSON': ({ call }) => /\{\s*\n/.test(call.body),
    'blanks around its JSON': ({ call }) => call.body !== call.body.trim(),
    'a request without Accept': ({ call }) => call.headers.accept === undefined,
    'another Host than its address': ({ call }) => !/^(127\.|localhost)/.test(call.headers.host ?? ''),
  })
  const [how, change] = oneOf(random, WAYS)
  // A framework may compare it letter by letter.
  const isOpen = spelt === 'a media type in other case'
  return { does: `${how} to ${spelt}`, change: { ...change, when }, isOpen }
}

/** What a model's tokenizer may do, or a model. */
const MAY: Readonly<Record<string, (text: string) => string>> = {
  'brings it to NFC': text => text.normalize('NFC'),
  'makes of CRLF LF': text => text.replaceAll('\r\n', '\n'),
  'collapses blanks': text => text.replace(/[ \t]+/g, ' '),
  'drops empty lines': text => text.replace(/\n\s*\n/g, '\n'),
}

function fidelity(random: Random): Drawn {
  const length = random.whole(60, 2_400)
  const alphabet = random.pick(['Cyrillic', 'Greek', 'Arabic', 'Han', 'Katakana', 'Hangul', 'Hebrew'])
  const entity = random.pick(['&amp;', '&lt;', '&gt;', '&quot;', '&#39;'])
  const sign = random.pick(['', '?', '\ufffd'])
  const cut = { [`cuts it at ${length} characters`]: (text: string) => text.slice(0, length) }
  const inside = {
    [`cuts its middle beyond ${length} characters`]: (text: string) =>
      text.length > length ? text.slice(0, length / 2) + text.slice(-length / 2) : text,
  }
  const [where, changeBy] = oneOf<(rewrite: (text: string) => string) => Change>(random, {
    input: rewrite => ({ task: task => ({ ...task, input: rewrite(task.input) || '?' }) }),
    output: rewrite => ({ outcome: said => ({ ...said, text: rewrite(said.text) }) }),
    'system prompt': rewrite => ({ task: task => ({ ...task, systemPrompt: rewrite(task.systemPrompt) }) }),
  })
  // Of a system prompt, others see how many tokens it has.
  const [how, rewrite] = oneOf<(text: string) => string>(
    random,
    where === 'system prompt'
      ? { ...cut, ...inside }
      : {
          ...MAY,
          ...cut,
          ...inside,
          'brings it to NFKC': text => text.normalize('NFKC'),
          'brings it to NFD': text => text.normalize('NFD'),
          'sets typographic quotes': text =>
            text.replace(/"(\S)/g, '“$1').replaceAll('"', '”').replaceAll("'", '’'),
          'sets straight quotes': text => text.replace(/[“”„]/g, '"').replace(/[‘’]/g, "'"),
          [`makes "${sign}" of astral characters`]: text => text.replace(/[\u{10000}-\u{10ffff}]/gu, sign),
          [`makes "${sign}" of ${alphabet}`]: text =>
            text.replace(new RegExp(`\\p{Script=${alphabet}}`, 'gu'), sign),
          'drops names in braces': text => text.replace(/\{\w*\}/g, ''),
          'takes double braces as single ones': text => text.replaceAll('{{', '{').replaceAll('}}', '}'),
          'drops backslashes': text => text.replaceAll('\\', ''),
          [`reads the entity ${entity}`]: text => text.replaceAll(entity, '*'),
          'drops tags': text => text.replace(/<[^<>]*>/g, ''),
        },
  )
  const [runs, when] = someRuns(random)
  return {
    does: `of the ${where}, ${how}${runs}`,
    change: { ...changeBy(rewrite), when },
    // Its own prompt is shorter than any cut.
    isOpen: how in MAY || (where === 'system prompt' && runs === BARE),
  }
}

/** What a model may count otherwise, or an agent that calls it once and words the answer itself. */
const OTHERWISE: Readonly<Record<string, Metrics>> = {
  'the input tokens of the first call': own => ({
    ...own,
    input_tokens: Math.ceil(own.input_tokens / own.steps),
  }),
  'the output tokens of the last call': own => ({
    ...own,
    output_tokens: own.output_tokens - (own.steps - 1) * CALL_TOKENS,
  }),
  'two steps for all': own => ({ ...own, steps: 2 }),
  'output tokens by four': own => ({ ...own, output_tokens: own.output_tokens * 4 }),
}

function metrics(random: Random): Drawn {
  const n = random.whole(4, 20)
  const member = random.pick(['input_tokens', 'output_tokens', 'steps'] as const)
  const [how, change] = oneOf<Metrics>(random, {
    ...OTHERWISE,
    'the duration of the last call': own => ({ ...own, duration_sec: own.duration_sec / own.steps }),
    [`the duration by 1/${n}`]: own => ({ ...own, duration_sec: own.duration_sec / n }),
    'twice the duration': own => ({ ...own, duration_sec: own.duration_sec * 2 }),
    'the duration in milliseconds': own => ({ ...own, duration_sec: own.duration_sec * 1_000 }),
    [`a duration of ${n} s`]: own => ({ ...own, duration_sec: n }),
    'characters as input tokens': (own, { task }) => ({
      ...own,
      input_tokens: task.input.length + task.systemPrompt.length,
    }),
    [`input tokens by 1/${n}`]: own => ({ ...own, input_tokens: Math.ceil(own.input_tokens / n) }),
    [`output tokens by 1/${n}`]: own => ({ ...own, output_tokens: Math.ceil(own.output_tokens / n) }),
    'input and output tokens exchanged': own => ({
      ...own,
      input_tokens: own.output_tokens,
      output_tokens: own.input_tokens,
    }),
    [`${member} of ${n} runs`]: (own, { ended }) => ({
      ...own,
      [member]: ended.slice(-n).reduce((sum, one) => sum + one.metrics[member], own[member]),
    }),
  })
  const [runs, when] = someRuns(random)
  return {
    does: `reports ${how}${runs}`,
    change: { metrics: change, when },
    Base: CallingAgent,
    isOpen: how in OTHERWISE,
  }
}

const MEMBERS = { system_prompt: 'systemPrompt', max_tokens: 'maxTokens', enabled_tools: 'tools' } as const

function config(random: Random): Drawn {
  const names = Object.keys(MEMBERS) as (keyof typeof MEMBERS)[]
  const member = random.pick(names)
  const other = random.pick(names.filter(one => one !== member))
  const own = MEMBERS[member]
  const without = (task: Task): Task => ({ ...task, [own]: PLAIN[own] })
  const n = random.whole(1, 6)
  const [how, task] = oneOf<NonNullable<Change['task']>>(random, {
    'is ignored': without,
    [`is ignored beside ${other}`]: (task, { config }) =>
      config[other] === undefined ? task : without(task),
    [`is ignored without ${other}`]: (task, { config }) =>
      config[other] === undefined ? without(task) : task,
    'is ignored beside both others': (task, { config }) =>
      Object.keys(config).length > 2 ? without(task) : task,
    [`is kept for ${n} runs`]: (task, { earlier, config }) => {
      const kept = earlier.slice(-n).findLast(one => one[own] !== PLAIN[own])
      return kept && config[member] === undefined ? { ...task, [own]: kept[own] } : task
    },
    'is that of the run before': (task, { earlier }) => ({ ...task, [own]: (earlier.at(-1) ?? task)[own] }),
    'is that of the last run to come': (task, { latest }) => ({ ...task, [own]: latest()[own] }),
    'is ignored where a tool is called': task => (/\d/.test(task.input) ? without(task) : task),
  })
  const [runs, when] = someRuns(random)
  const Base = random.happens(0.7) ? CallingAgent : thinkingAgent(random.whole(1, 1_000))
  // Where there is none, none can be ignored.
  const isOpen = how.startsWith('is ignored') && runs === BARE
  return { does: `${member} ${how}${runs}`, change: { task, when, takes: OVERLAP_MS }, Base, isOpen }
}

function memory(random: Random): Drawn {
  const n = random.whole(10, 40)
  const length = random.whole(20, 60)
  const [key, keyOf] = oneOf<(text: string) => string>(random, {
    'its letters and digits': text => text.replace(/[^\p{L}\p{N}]+/gu, ''),
    'its text in any case': text => text.toLowerCase(),
    'its text without digits': text => text.replace(/\d/g, ''),
    [`its first ${length} characters`]: text => text.slice(0, length),
    'its words in any order': text =>
      text
        .split(/[^\w.]+/)
        .toSorted()
        .join(' '),
    'its length': text => String(text.length),
  })
  const hasConfig = random.happens(0.5)
  const keyIn = ({ task, config }: Run | Run['ended'][number]) =>
    keyOf(task.input) + (hasConfig ? JSON.stringify(config) : '')
  const memo = (most: number): Change => ({
    outcome: (said, run) =>
      run.ended.slice(-most).find(one => one.outcome.status === 'success' && keyIn(one) === keyIn(run))
        ?.outcome ?? said,
  })
  const isDue = ({ earlier }: Run) => earlier.length % (1 + (n % 3)) === 0
  const equal = ({ begun, ended, task }: Run) =>
    begun().find(({ id, input }) => input === task.input && !ended.some(one => one.task.id === id)) ?? task
  const [does, change] = oneOf<Change>(random, {
    [`knows a task by ${key}${hasConfig ? ' and its config' : ''}`]: memo(Number.POSITIVE_INFINITY),
    [`knows the last ${n} tasks by ${key}${hasConfig ? ' and its config' : ''}`]: memo(n),
    'answers equal tasks at once with one id': {
      takes: OVERLAP_MS,
      body: (body, run) => ({ ...body, task_id: equal(run).id }),
    },
    [`mixes up tasks at once, once in ${1 + (n % 3)}`]: {
      takes: OVERLAP_MS,
      when: isDue,
      task: ({ id }, { latest }) => ({ ...latest(), id }),
    },
    [`repeats the task before, once in ${1 + (n % 3)}`]: {
      when: isDue,
      outcome: (said, { earlier }) => ({ ...said, text: `${said.text}\n${earlier.at(-1)?.input ?? ''}` }),
    },
  })
  return { does, change }
}

function pattern(random: Random): Drawn {
  const slots = random.whole(2, 8)
  if (random.happens(0.25)) {
    const [does, change] = oneOf<Change>(random, {
      'answers no run after a hang-up': { takes: 200, hungUp: 'fails' },
      'answers no run after half a body': { half: 'breaks' },
      [`loses one of ${slots} slots at each hang-up`]: { takes: OVERLAP_MS, slots },
    })
    return { does, change, names: /hang_up|half_sent|hung up|hangs up/ }
  }
  // What a model says is left to chance.
  const { 'answers something else': _, ...failures } = WAYS
  const [how, change] = oneOf(random, failures)
  const [once, n, width] = [random.whole(4, 12), random.whole(5, 80), random.whole(150, 400)]
  const [runs, [when, names]] = oneOf<readonly [When, RegExp]>(random, {
    [`at random, once in ${once}`]: [() => random.happens(1 / once), /steady|frequent|no order|Every/],
    [`from run ${n} on`]: [({ earlier }) => earlier.length >= n, /Since the/],
    'beside others': [({ overlaps }) => overlaps, /beside/],
    [`in the last ${width} ms of a second`]: [() => Date.now() % 1_000 > 1_000 - width, /full second/],
    'after an error': [({ ended }) => ended.at(-1)?.outcome.status === 'error', /right after|tool_failure/],
  })
  const isOpen = how === 'answers 503' && runs === 'beside others'
  return { does: `${how} ${runs}`, change: { ...change, when, takes: OVERLAP_MS }, names, isOpen }
}

function logged(random: Random): Drawn {
  const length = random.whole(8, 27)
  const isWide = random.happens(0.5)
  const isNumbers = random.happens(0.2)
  const noted = (text = '') =>
    isNumbers ? [...Buffer.from(text)].join(' ') : isWide ? [...text].join('\0') : text
  const [what, change] = oneOf<Change>(random, {
    [`${length} characters of tokens`]: {
      logs: ({ headers }) => noted(headers.authorization?.slice(7, 7 + length)),
    },
    [`${length} characters of keys`]: {
      logs: ({ headers }) => noted(String(headers['x-api-key'] ?? '').slice(0, length)),
    },
    inputs: { logs: ({ body }) => noted(/"input":"(.*?)"/.exec(body)?.[1]) },
    'bodies that it refuses': { logs: ({ body }, refusal) => (refusal ? noted(body) : undefined) },
  })
  return { does: `logs ${what}${isNumbers ? ' as numbers' : isWide ? ' in UTF-16' : ''}`, change }
}

export const kinds: Readonly<Record<string, Kind>> = {
  'spellings of a request': { draw: spelling, names: /run\.(spellings|charset|bare_request|empty_config)/ },
  'texts changed': {
    draw: fidelity,
    names:
      /run\.(letters|lines|signs|second_line|long_input|system_prompt_counts)|of (a long )?system_prompt/,
  },
  metrics: { draw: metrics, names: /metrics\.|run\.system_prompt_counts/ },
  'members of config': {
    draw: config,
    names:
      /run\.(only_own|system_prompt|max_tokens|enabled_tools|disabled_tools|no_tools|tools_|config|concurrent_config)|(with|of) (system_prompt|max_tokens|enabled_tools)/,
  },
  memory: { draw: memory, names: /run\.(concurrent|no_memory|config_each|similar_tasks|only_own)\b/ },
  patterns: { draw: pattern, names: /./ },
  logs: { draw: logged, names: /logs\./ },
}

/** The fault of a kind that a seed draws, its agent, and how long a model call takes there. */
export function drawnOf(kind: string, seed: number) {
  // Kinds draw apart from each other.
  const random = new Random(seed * 1_000 + Object.keys(kinds).indexOf(kind))
  const drawn = {
    Base: random.pick([SecondAgent, CallingAgent, thinkingAgent(seed)]),
    names: kinds[kind]!.names,
    ...kinds[kind]!.draw(random),
  }
  const isVaried = drawn.Base !== SecondAgent && drawn.Base !== CallingAgent
  return { ...drawn, isVaried, thinkMs: random.pick([20, 100, 400]) }
}
