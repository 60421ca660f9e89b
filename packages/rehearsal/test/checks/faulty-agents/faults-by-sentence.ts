import { isDeepStrictEqual } from 'node:util'
import { TOOLS } from '../second-agent/request.ts'
import { json, type Outcome, pause } from '../second-agent/second-agent.ts'
import { type Change, CUT, DEAD, type Run } from './faulty-agent.ts'
import { NEVER_MS, SHORT } from './limits.ts'

/** Time for other runs to arrive, even on a busy machine. */
const OVERLAP_MS = 50
/** The agent's own. */
const OWN_PROMPT = 'Answer in one short line.'
const fails = ({ input }: Run['task']) => input.includes('1 / 0')

/** Of a run that succeeded. */
const DONE = {
  status: 'success',
  output: 'done',
  metrics: { duration_sec: 0, input_tokens: 1, output_tokens: 1, steps: 1 },
}

const isPrompted = ({ systemPrompt }: Run['task']) => systemPrompt !== OWN_PROMPT

/** As a model says it that obeys its system prompt. */
const obeyed = (said: Outcome, { systemPrompt }: Run['task']): Outcome => {
  const word = /every answer with the word (\w+)/.exec(systemPrompt)?.[1]
  return word === undefined || said.status !== 'success'
    ? said
    : { ...said, text: `${word} ${said.text} ${word}` }
}

const rewrite =
  (change: (text: string) => string): NonNullable<Change['outcome']> =>
  said => ({ ...said, text: change(said.text) })

/** As it is read by whoever takes pieces for whole. */
function inPieces(text: string, bytes: number): string {
  const all = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(all.length / bytes) }, (_, at) =>
    all.subarray(at * bytes, (at + 1) * bytes).toString(),
  )
  return pieces.join('') || '?'
}

/** With the time that it told first. */
const frozen: NonNullable<Change['outcome']> = (said, { ended }) => {
  const clock = /\d\d:\d\d:\d\d/
  const first = ended.map(({ outcome }) => clock.exec(outcome.text)?.[0]).find(time => time !== undefined)
  return first === undefined ? said : { ...said, text: said.text.replace(clock, first) }
}

/** What a run without a member of `config` has in its place. */
const WITHOUT: Readonly<Record<string, Partial<Run['task']>>> = {
  system_prompt: { systemPrompt: OWN_PROMPT },
  max_tokens: { maxTokens: undefined },
  enabled_tools: { tools: TOOLS },
}

/** Each member of `config` is ignored beside each other one, and beside both. */
const ignored = Object.keys(WITHOUT).flatMap(member => {
  const others = Object.keys(WITHOUT).filter(other => other !== member)
  return [...others.map(other => [other]), others].map((beside): [string, Change] => [
    `ignores ${member} beside ${beside.join(' and ')}`,
    {
      when: ({ config }) => beside.every(other => config[other] !== undefined),
      task: task => ({ ...task, ...WITHOUT[member] }),
    },
  ])
})

/** Answers are kept for tasks that are equal but for some of their text. */
const kept = Object.entries({
  punctuation: /[^\w\s]/g,
  digits: /\d/g,
  words: /[^\d.]+(?=.*\d)/g,
  case: undefined,
}).map(([name, part]): [string, Change] => {
  const keyOf = (text: string) => (part ? text.replace(part, '') : text.toLowerCase())
  return [
    `keeps its answers for tasks that differ in ${name} alone`,
    {
      outcome: (said, { ended, task, config }) => {
        const isKnown = (other: Run['ended'][number]) =>
          keyOf(other.task.input) === keyOf(task.input) && isDeepStrictEqual(other.config, config)
        return ended.find(isKnown)?.outcome ?? said
      },
    },
  ]
})

/** Two faults or more for each sentence of the interface that can be tested from outside, written from the sentence alone. */
export const faultsBySentence: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
  'service.task': {
    'reads only the first line of a task': { task: task => ({ ...task, input: task.input.split('\n')[0]! }) },
    'writes its result in lower case': { outcome: rewrite(text => text.toLowerCase()) },
    'writes its result on one line': { outcome: rewrite(text => text.replace(/\s+/g, ' ')) },
    'reads requests as Latin-1': {
      task: task => ({ ...task, input: Buffer.from(task.input).toString('latin1') }),
    },
    'replaces characters of more than three bytes with a question mark': {
      outcome: rewrite(text => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?')),
    },
    'escapes its output for HTML': {
      outcome: rewrite(text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
    },
    'fills in names in braces in every second result': {
      when: ({ earlier }) => earlier.length % 2 === 1,
      outcome: rewrite(text => text.replace(/\{\w*\}/g, '')),
    },
  },
  'service.run': {
    'sends events without a result to whoever accepts them': {
      reply: (reply, { call }) =>
        call.headers.accept === 'text/event-stream'
          ? {
              status: 200,
              headers: { 'Content-Type': 'text/event-stream' },
              body: 'event: done\ndata: {}\n\n',
            }
          : reply,
    },
    'takes a task with 202, to be asked for later': { reply: () => json(202, { job: 'a1' }) },
    'returns the result of the run before': {
      when: ({ ended }) => ended.length > 0,
      outcome: (_, { ended }) => ended.at(-1)!.outcome,
    },
    ...Object.fromEntries(kept),
    'starts only with the second identical request': {
      when: ({ earlier, task }) => !earlier.some(({ input }) => input === task.input),
      reply: () => json(503, { message: 'warming up' }),
    },
    'never answers questions about the time': {
      when: ({ task }) => task.input.includes('What time'),
      takes: NEVER_MS,
      limits: SHORT,
    },
  },
  'service.health': {
    'has /health somewhere else': { health: () => json(404, { message: 'not found' }) },
    'is unhealthy after its first run': { health: (body, { runs }) => (runs > 0 ? json(503, body) : body) },
    'changes its name once it has refused something': {
      health: (body, { refusals }) => (refusals > 0 ? { ...body, agent_name: 'Zoo' } : body),
    },
    'dies of a body that is not JSON': {
      refuse: ({ message }, reply) => (message.includes('not JSON') ? DEAD : reply),
    },
  },
  'service.tools': {
    'makes an empty list of tools an error': {
      when: ({ config }) => Array.isArray(config.enabled_tools) && config.enabled_tools.length === 0,
      body: body => ({ ...body, status: 'error', output: '', metrics: {}, error: 'no tools' }),
    },
    'breaks where a task needs a tool that is not enabled': {
      when: ({ task }) => task.tools.size < TOOLS.size,
      reply: reply => (JSON.parse(reply.body).status === 'error' ? json(500, { message: 'no tool' }) : reply),
    },
    'fails the run after one in which a tool failed': {
      when: ({ earlier }) => earlier.slice(-1).some(fails),
      body: body => ({ ...body, status: 'error', output: '', metrics: {}, error: 'division by zero' }),
    },
  },
  'rule.logs': {
    'logs the Authorization header of a run that fails': {
      isOpen: true,
      outcome: (said, { call, log }) => {
        if (said.status === 'error') log(`failed: ${call.headers.authorization}`)
        return said
      },
    },
    'logs a max_tokens that is not a number': {
      logs: ({ body }, refusal) => (refusal?.message.includes('max_tokens') ? body : undefined),
    },
    'logs a body that is not sent as JSON': {
      logs: ({ body }, refusal) => (refusal?.status === 415 ? body : undefined),
    },
    'logs the end of a body that is too large': {
      logs: ({ body }, refusal) => (refusal?.status === 413 ? body.slice(-300) : undefined),
    },
    'logs the beginning of a body that is too large': {
      logs: ({ body }, refusal) => (refusal?.status === 413 ? body.slice(0, 300) : undefined),
    },
    'logs the system prompt of a run that fails': {
      outcome: (said, { task, log }) => {
        if (said.status === 'error') log(`failed with ${task.systemPrompt}`)
        return said
      },
    },
    'logs the Authorization header as numbers': {
      logs: ({ headers }) => [...Buffer.from(headers.authorization ?? '')].join(' '),
    },
    'colours the digits of the Authorization header in its log': {
      logs: ({ headers }) => headers.authorization?.replace(/\d+/g, '\u001b[36m$&\u001b[0m'),
    },
    'logs each body in base64': { logs: ({ body }) => Buffer.from(body).toString('base64') },
    'logs the Authorization header': { logs: ({ headers }) => headers.authorization },
    'logs the first eight characters of each token': {
      logs: ({ headers }) => headers.authorization?.slice(7, 15),
    },
    'logs the tokens that it refuses': {
      logs: ({ headers }, refusal) => (refusal?.status === 401 ? headers.authorization : undefined),
    },
    'logs all headers but Authorization': {
      logs: ({ headers: { authorization: _, ...headers } }) => JSON.stringify(headers),
    },
    'logs a body that is not JSON': {
      logs: ({ body }, refusal) => (refusal?.message.includes('not JSON') ? body : undefined),
    },
    'logs an input with a delay': {
      outcome: (said, { task, log }) => {
        setTimeout(() => log(task.input), 300).unref()
        return said
      },
      limits: { logLateMs: 1_500 },
      only: ['logs'],
    },
    'logs its environment': {
      outcome: (said, { environment, log }) => {
        log(JSON.stringify(environment))
        return said
      },
    },
  },
  'rule.secrets': {
    'shows its environment in /health': { health: (body, { environment }) => ({ ...body, environment }) },
    'shows its environment where a run failed': {
      body: (body, { environment }) => (body.status === 'error' ? { ...body, environment } : body),
    },
  },
  'rule.metrics': {
    'adds up the steps of five runs': {
      metrics: (own, { ended }) => ({
        ...own,
        steps: ended.slice(-4).reduce((sum, { metrics }) => sum + metrics.steps, own.steps),
      }),
    },
    'has empty metrics': { body: body => ({ ...body, metrics: {} }) },
    'adds up the tokens of all its runs': {
      metrics: (own, { ended }) => {
        const tokens = ended.reduce((sum, { metrics }) => sum + metrics.input_tokens, own.input_tokens)
        return { ...own, input_tokens: tokens, output_tokens: tokens }
      },
    },
    'has metrics only in runs without config': {
      when: ({ config }) => Object.keys(config).length > 0,
      body: body => ({ ...body, metrics: {} }),
    },
    'reports the metrics of the run before': {
      when: ({ ended }) => ended.length > 0,
      metrics: (own, { ended }) => ({ ...ended.at(-1)!.metrics, duration_sec: own.duration_sec }),
    },
    'adds up the tokens of each of four workers': {
      metrics: (own, { ended }) => {
        const worker = ended.length % 4
        const before = ended.filter((_, index) => index % 4 === worker)
        return {
          ...own,
          input_tokens: before.reduce((sum, { metrics }) => sum + metrics.input_tokens, own.input_tokens),
        }
      },
    },
    'adds up the steps of runs that overlap': {
      takes: OVERLAP_MS,
      metrics: (own, { overlaps }) => ({ ...own, steps: overlaps ? 4 * own.steps : own.steps }),
    },
  },
  'staging.result': {
    'forgets how to take percentages, after 60 runs': {
      when: ({ earlier, task }) => earlier.length > 60 && task.input.includes('%'),
      outcome: rewrite(() => 'None that I know of.'),
    },
    'rounds its results to whole numbers': {
      outcome: rewrite(text => text.replace(/\d+\.\d+/g, number => String(Math.round(Number(number))))),
    },
    'ends its results with an ellipsis in place of their last word': {
      outcome: rewrite(text => text.replace(/\S+$/, '…')),
    },
    'has a clock that is an hour slow': {
      outcome: rewrite(text => text.replace(/\d\d(?=:\d\d:)/, hour => String((Number(hour) + 23) % 24))),
    },
    'has a clock that stands still': { outcome: frozen },
    'has a clock that stands still at a full minute': {
      outcome: (said, run) => {
        const stopped = frozen(said, run)
        return { ...stopped, text: stopped.text.replace(/(\d\d:\d\d):\d\d/, '$1:00') }
      },
    },
    'answers only the first of several questions': { outcome: rewrite(text => text.split('\n')[0]!) },
    'cuts its output at 100 characters': { outcome: rewrite(text => text.slice(0, 100)) },
  },
  'staging.errors': {
    'cuts the connection on an invalid request': {
      refuse: () => CUT,
    },
    'treats an invalid request as a success': {
      refuse: ({ taskId }) => json(200, { ...DONE, task_id: taskId }),
    },
    'cuts the connection of a large body': {
      refuse: ({ status }, reply) => (status === 413 ? CUT : reply),
    },
    'answers 500 to an invalid request': { refuse: (_, reply) => ({ ...reply, status: 500 }) },
    'is degraded after a failed run': {
      health: (body, { ended }) =>
        ended.at(-1)?.outcome.status === 'error' ? { ...body, status: 'degraded' } : body,
    },
    'breaks at a duplicate member': {
      when: ({ call }) => /"task_id":"[^"]*","task_id"/.test(call.body),
      reply: () => json(500, { message: 'twice' }),
    },
    'merges __proto__ into its settings, and breaks': {
      when: ({ call }) => call.body.includes('"__proto__"'),
      reply: () => json(500, { message: 'no prototype' }),
    },
    'keeps max_tokens in 32 bits, and breaks': {
      when: ({ task }) => Number(task.maxTokens) >= 2 ** 31,
      reply: () => json(500, { message: 'overflow' }),
    },
    'breaks at a task_id that is neither a UUID nor test-<n>': {
      when: ({ task }) => !/^(test-\d+|[\da-f-]{36})$/i.test(task.id),
      reply: () => json(500, { message: 'no id' }),
    },
  },
  'request.task_id': {
    'takes a UUID in lower case only': {
      when: ({ task }) => task.id.length === 36 && /[A-F]/.test(task.id),
      reply: () => json(422, { message: 'not a UUID' }),
    },
    'takes only UUIDs of version 4 and variant 8': {
      when: ({ task }) => task.id.length === 36 && !/-4...-8/i.test(task.id),
      reply: () => json(422, { message: 'not a UUID' }),
    },
    'takes test ids only': {
      when: ({ task }) => !task.id.startsWith('test-'),
      reply: () => json(422, { message: 'no test' }),
    },
  },
  'request.input': {
    'reads double braces as single ones in runs with config': {
      when: ({ config }) => Object.keys(config).length > 0,
      task: task => ({ ...task, input: task.input.replaceAll('{{', '{').replaceAll('}}', '}') }),
    },
    'loses the middle of a long input': {
      when: ({ task }) => task.input.length > 2_000,
      task: task => ({ ...task, input: task.input.slice(0, 900) + task.input.slice(-900) }),
    },
    'trims digits off a long input': { task: task => ({ ...task, input: task.input.slice(0, 60) }) },
    'reads the first 1,000 characters of a task, as far as they are sentences': {
      when: ({ task }) => task.input.length > 1_000,
      task: task => ({ ...task, input: task.input.slice(0, 1_000).replace(/[^?]*$/, '') }),
    },
    'wants at least five words': {
      when: ({ task }) => task.input.split(' ').length < 5,
      reply: () => json(422, { message: 'too short' }),
    },
  },
  'request.config': {
    ...Object.fromEntries(ignored),
    'refuses a request that has no config': {
      when: ({ call }) => !call.body.includes('"config"'),
      reply: () => json(422, { message: 'config is due' }),
    },
    'wants every member of config, or none': {
      when: ({ config }) => ![0, 3].includes(Object.keys(config).length),
      reply: () => json(422, { message: 'incomplete config' }),
    },
    'ends every third result with the task before': {
      when: ({ earlier }) => earlier.length % 3 === 2,
      outcome: (said, { earlier }) => ({ ...said, text: `${said.text}\n${earlier.at(-1)!.input}` }),
    },
    'keeps an override for the id of its task': {
      task: (task, { earlier, config }) => {
        const same = earlier.findLast(({ id, maxTokens }) => id === task.id && maxTokens !== undefined)
        return same && config.max_tokens === undefined ? { ...task, maxTokens: same.maxTokens } : task
      },
    },
    'keeps the system prompt of a task_id for its next run': {
      task: (task, { earlier, config }) => {
        const same = earlier.findLast(({ id, systemPrompt }) => id === task.id && systemPrompt.length > 40)
        return same && config.system_prompt === undefined
          ? { ...task, systemPrompt: same.systemPrompt }
          : task
      },
    },
    'keeps the tools of a task_id for its next run': {
      task: (task, { earlier, config }) => {
        const same = earlier.findLast(({ id, tools }) => id === task.id && tools.size < TOOLS.size)
        return same && config.enabled_tools === undefined ? { ...task, tools: same.tools } : task
      },
    },
    'keeps the config of a connection': {
      task: (task, { earlierHere, config }) => {
        const [first] = earlierHere
        return first && Object.keys(config).length === 0 ? { ...first, id: task.id, input: task.input } : task
      },
    },
    'keeps the current max_tokens in one place for all runs': {
      takes: OVERLAP_MS,
      task: (task, { latest }) => ({ ...task, maxTokens: latest().maxTokens }),
    },
    'keeps the current system prompt in one place for all runs': {
      takes: OVERLAP_MS,
      task: (task, { latest }) => ({ ...task, systemPrompt: latest().systemPrompt }),
    },
    'keeps the current tools in one place for all runs': {
      takes: OVERLAP_MS,
      task: (task, { latest }) => ({ ...task, tools: latest().tools }),
    },
    'keeps the system prompt of runs that bring one in one place': {
      takes: OVERLAP_MS,
      when: ({ config }) => config.system_prompt !== undefined,
      task: (task, { begun }) => ({ ...task, systemPrompt: begun().findLast(isPrompted)!.systemPrompt }),
    },
    'keeps the max_tokens of runs that bring one in one place': {
      takes: OVERLAP_MS,
      when: ({ config }) => config.max_tokens !== undefined,
      task: (task, { begun }) => ({
        ...task,
        maxTokens: begun().findLast(({ maxTokens }) => maxTokens !== undefined)!.maxTokens,
      }),
    },
    'obeys the system prompt of another run now and then, and counts its own': {
      takes: OVERLAP_MS,
      outcome: (said, { begun, task, overlaps, earlier }) => {
        const others = begun()
          .slice(-6)
          .filter(other => isPrompted(other) && other !== task)
        const isMixedUp = overlaps && others.length > 0 && earlier.length % 5 === 0
        return obeyed(said, isMixedUp ? others.at(-1)! : task)
      },
    },
    'repeats its answer without config to a known input, under any system prompt': {
      outcome: (said, { ended, task }) => {
        const isKnown = (other: Run['task']) =>
          other.input === task.input && !isPrompted(other) && other.maxTokens === task.maxTokens
        const known = ended.find(other => isKnown(other.task) && other.outcome.status === 'success')
        return known?.outcome ?? obeyed(said, task)
      },
    },
    'repeats its answer to a known input under any system prompt': {
      outcome: (said, { ended, task }) => {
        const isKnown = (other: Run['task']) =>
          other.input === task.input &&
          other.maxTokens === task.maxTokens &&
          other.tools.size === task.tools.size
        return ended.find(other => isKnown(other.task))?.outcome ?? obeyed(said, task)
      },
    },
    'gives a run without config that of the run before, if both arrive together': {
      takes: 5,
      task: (task, { overlaps, earlier, config }) => {
        const before = earlier.at(-1)
        return overlaps && before && Object.keys(config).length === 0
          ? { ...before, id: task.id, input: task.input }
          : task
      },
    },
    'loses the config of a run that overlaps another': {
      takes: 5,
      when: ({ overlaps }) => overlaps,
      task: task => ({ ...task, maxTokens: undefined, tools: TOOLS, systemPrompt: OWN_PROMPT }),
    },
    'keeps an override for ten runs': {
      task: (task, { earlier, config }) => {
        const kept = earlier.slice(-10).find(({ systemPrompt }) => systemPrompt.length > 40)
        return kept && config.system_prompt === undefined
          ? { ...task, systemPrompt: kept.systemPrompt }
          : task
      },
    },
    'refuses a request with config': {
      when: ({ call }) => call.body.includes('"config"'),
      reply: () => json(422, { message: 'no config' }),
    },
    'keeps the tools of a run for all later runs': {
      task: (task, { earlier }) => ({
        ...task,
        tools: earlier.findLast(({ tools }) => tools.size < TOOLS.size)?.tools ?? task.tools,
      }),
    },
    'keeps max_tokens for the next run': {
      task: (task, { earlier }) => ({ ...task, maxTokens: task.maxTokens ?? earlier.at(-1)?.maxTokens }),
    },
    'keeps the current config in one place for all runs': {
      takes: OVERLAP_MS,
      task: ({ id, input }, { latest }) => ({ ...latest(), id, input }),
    },
    'repeats its answer to a known input, whatever the config': {
      outcome: (said, { ended, task }) =>
        ended.find(({ task: { input } }) => input === task.input)?.outcome ?? said,
    },
    'quotes the task before where a run failed': {
      outcome: (said, { earlier }) =>
        said.status === 'error' ? { ...said, text: `${said.text} ${earlier.at(-1)?.input}` } : said,
    },
  },
  'config.system_prompt': {
    'fills in its prompt as a template': {
      when: ({ task }) => /\{\w*\}/.test(task.systemPrompt),
      reply: () => json(500, { message: 'KeyError' }),
    },
    'gives a run without a system prompt the last one sent, unless its run failed': {
      task: (task, { ended, config }) => {
        const last = ended.findLast(
          ({ outcome, task: { systemPrompt } }) =>
            outcome.status === 'success' && systemPrompt !== OWN_PROMPT,
        )
        return last && config.system_prompt === undefined
          ? { ...task, systemPrompt: last.task.systemPrompt }
          : task
      },
    },
    'adds the system prompt to its own': {
      when: ({ config }) => config.system_prompt !== undefined,
      task: task => ({ ...task, systemPrompt: `Answer in one short line. ${task.systemPrompt}` }),
    },
    'takes the system prompt as part of the task': {
      when: ({ config }) => config.system_prompt !== undefined,
      outcome: (said, { task }) => ({ ...said, text: `${task.systemPrompt}\n${said.text}` }),
    },
    'reads only the first words of a system prompt': {
      task: task => ({ ...task, systemPrompt: task.systemPrompt.slice(0, 20) }),
    },
    'drops a system prompt of over 3,000 characters': {
      when: ({ task }) => task.systemPrompt.length > 3_000,
      task: task => ({ ...task, systemPrompt: OWN_PROMPT }),
    },
  },
  'config.max_tokens': {
    'keeps max_tokens for the next run, and its answers for equal requests': {
      task: (task, { earlier }) => ({ ...task, maxTokens: task.maxTokens ?? earlier.at(-1)?.maxTokens }),
      outcome: (said, { ended, task, config }) => {
        const isEqual = (other: Run['ended'][number]) =>
          other.task.input === task.input && isDeepStrictEqual(other.config, config)
        return ended.find(isEqual)?.outcome ?? said
      },
    },
    'adds max_tokens to its own cap': {
      task: task => ({ ...task, maxTokens: task.maxTokens && task.maxTokens + 20 }),
    },
    'takes max_tokens as characters': {
      when: ({ task }) => task.maxTokens !== undefined,
      outcome: (said, { task }) => ({ ...said, text: said.text.slice(0, task.maxTokens) }),
    },
    'fails a run that reaches its cap with 500': {
      when: ({ task }) => task.maxTokens !== undefined && task.maxTokens < 10,
      reply: () => json(500, { message: 'cap reached' }),
    },
    'applies max_tokens to its metrics alone': {
      task: task => ({ ...task, maxTokens: undefined }),
      metrics: (own, { config }) => ({
        ...own,
        output_tokens: Math.min(own.output_tokens, Number(config.max_tokens ?? Infinity)),
      }),
    },
  },
  'config.enabled_tools': {
    'adds the enabled tools to those of the run before': {
      task: (task, { earlier }) => ({
        ...task,
        tools: new Set([...task.tools, ...(earlier.at(-1)?.tools ?? [])]),
      }),
    },
    'reads only the first of the enabled tools': {
      when: ({ config }) => Array.isArray(config.enabled_tools),
      task: task => ({ ...task, tools: new Set([...task.tools].slice(0, 1)) }),
    },
    'ignores enabled_tools': { task: task => ({ ...task, tools: TOOLS }) },
    'restricts the tools of its first call alone': {
      when: ({ task }) => task.input.includes('? W') && task.tools.size > 0,
      task: task => ({ ...task, tools: TOOLS }),
    },
    'takes any list of tools but an empty one as all of them': {
      when: ({ config }) => Array.isArray(config.enabled_tools) && config.enabled_tools.length > 0,
      task: task => ({ ...task, tools: TOOLS }),
    },
    'takes a list with one of its tools as all of them': {
      task: task => (task.tools.size > 0 ? { ...task, tools: TOOLS } : task),
    },
  },
  'response.task_id': {
    'omits the task_id': { body: ({ task_id: _, ...body }) => body },
    'answers with a task_id in lower case': {
      body: body => ({ ...body, task_id: String(body.task_id).toLowerCase() }),
    },
    'reads the number of a test id, and loses its leading zeros': {
      body: body => ({ ...body, task_id: String(body.task_id).replace(/^test-0+(?=\d)/, 'test-') }),
    },
    'answers with a task_id of its own when a run fails': {
      body: body => (body.status === 'error' ? { ...body, task_id: 'test-0' } : body),
    },
    'forgets the task_id of an invalid request': {
      refuse: (_, { body }) => json(200, { ...JSON.parse(body), task_id: '' }),
    },
  },
  'response.status': {
    'says "completed"': { body: body => ({ ...body, status: 'completed' }) },
    'says "success" where a run failed': { body: body => ({ ...body, status: 'success' }) },
    'says "failed" where a run failed': {
      body: body => (body.status === 'error' ? { ...body, status: 'failed' } : body),
    },
  },
  'response.output': {
    'has an object as output': { body: body => ({ ...body, output: { text: body.output } }) },
    'has null as output where a run failed': {
      body: body => (body.status === 'error' ? { ...body, output: null } : body),
    },
    'repeats the task before the result': {
      outcome: (said, { task }) => ({ ...said, text: `Task: ${task.input}\n${said.text}` }),
    },
  },
  'response.metrics': {
    'omits metrics': { body: ({ metrics: _, ...body }) => body },
    'has null as metrics where a run failed': {
      body: body => (body.status === 'error' ? { ...body, metrics: null } : body),
    },
    'omits metrics where a tool fails': {
      when: ({ task }) => fails(task),
      body: ({ metrics: _, ...body }) => body,
    },
    'has a list of metrics': { body: body => ({ ...body, metrics: [body.metrics] }) },
  },
  'response.error': {
    'has no error where a run failed': {
      body: ({ error: _, ...body }) => body,
    },
    'has an object as error where a run failed': {
      body: body => (body.status === 'error' ? { ...body, error: { message: body.error } } : body),
    },
  },
  'metrics.duration_sec': {
    'measures the duration in milliseconds': {
      metrics: own => ({ ...own, duration_sec: 1000 * own.duration_sec }),
    },
    'reports a hundredth of the duration': {
      takes: 200,
      metrics: own => ({ ...own, duration_sec: own.duration_sec / 100 }),
    },
    'reports the duration of its last step alone': {
      takes: 1_100,
      metrics: own => ({ ...own, duration_sec: own.duration_sec / own.steps }),
    },
    'reports the duration of its last step alone, once in three runs': {
      takes: 600,
      metrics: (own, { earlier }) => ({
        ...own,
        duration_sec: earlier.length % 3 === 0 ? own.duration_sec / 4 : own.duration_sec,
      }),
    },
    'reports ten seconds for every run': { metrics: own => ({ ...own, duration_sec: 10 }) },
    'reports a negative duration': { metrics: own => ({ ...own, duration_sec: -own.duration_sec }) },
  },
  'metrics.input_tokens': {
    'writes tokens as strings': { metrics: own => ({ ...own, input_tokens: String(own.input_tokens) }) },
    'reports the same input tokens for every task': { metrics: own => ({ ...own, input_tokens: 100 }) },
    'counts no tokens': { metrics: own => ({ ...own, input_tokens: 0, output_tokens: 0 }) },
    'counts characters as input tokens': {
      metrics: (own, { task }) => ({
        ...own,
        input_tokens: 4 * (task.input.length + task.systemPrompt.length),
      }),
    },
    'counts the characters that it reads as input tokens, once': {
      metrics: (own, { task }) => ({ ...own, input_tokens: task.input.length + task.systemPrompt.length }),
    },
    'reports the input tokens of its first step alone': {
      metrics: own => ({ ...own, input_tokens: Math.round(own.input_tokens / own.steps) }),
    },
    'counts no system prompt as input': {
      when: ({ config }) => config.system_prompt !== undefined,
      metrics: (own, { task }) => ({ ...own, input_tokens: task.input.split(' ').length }),
    },
  },
  'metrics.output_tokens': {
    'has none where max_tokens is set': {
      when: ({ config }) => config.max_tokens !== undefined,
      metrics: own => ({ ...own, output_tokens: 0 }),
    },
    'reports the same output tokens for every task': { metrics: own => ({ ...own, output_tokens: 50 }) },
    'counts the characters that it writes as output tokens': {
      body: body =>
        body.status === 'success'
          ? { ...body, metrics: { ...Object(body.metrics), output_tokens: String(body.output).length } }
          : body,
    },
    'reports one output token for every run': { metrics: own => ({ ...own, output_tokens: 1 }) },
    'reports the cap as output tokens': {
      metrics: (own, { task }) => ({ ...own, output_tokens: task.maxTokens ?? own.output_tokens }),
    },
    'counts the tokens of Latin letters alone': {
      metrics: (own, { task }) => {
        const said = /^repeat\b[^:]*: (.+)$/is.exec(task.input.trim())?.[1] ?? ''
        const latin = said.match(/[ -~]/g)?.length ?? 0
        return said === '' ? own : { ...own, output_tokens: Math.ceil(latin / 4) }
      },
    },
    'counts the output tokens of the last five runs': {
      metrics: (own, { ended }) => ({
        ...own,
        output_tokens: ended
          .slice(-4)
          .reduce((sum, { metrics }) => sum + metrics.output_tokens, own.output_tokens),
      }),
    },
    'counts input and output as output tokens': {
      metrics: own => ({ ...own, output_tokens: own.output_tokens + own.input_tokens }),
    },
    'reports fewer tokens each time for the same task': {
      metrics: (own, { earlier, task }) => {
        const times = earlier.filter(({ input }) => input === task.input).length
        return { ...own, output_tokens: Math.max(1, own.output_tokens - times) }
      },
    },
  },
  'metrics.steps': {
    'counts no steps': { metrics: own => ({ ...own, steps: 0 }) },
    'reports one step for every run': { metrics: own => ({ ...own, steps: 1 }) },
    'reports three steps for every run': { metrics: own => ({ ...own, steps: 3 }) },
    'has half steps': { metrics: own => ({ ...own, steps: own.steps - 0.5 }) },
    'counts the steps of all its runs': {
      metrics: (own, { ended }) => ({ ...own, steps: own.steps + ended.length }),
    },
    'reports the steps since its start, whoever began them': {
      metrics: (own, { begun }) => ({ ...own, steps: 2 * begun().length + (begun().length % 3) }),
    },
    'reports one step more each time for the same task': {
      metrics: (own, { earlier, task }) => ({
        ...own,
        steps: own.steps + earlier.filter(({ input }) => input === task.input).length,
      }),
    },
  },
  'health.status': {
    'sends the health response as text/plain': {
      health: body => ({ ...json(200, body), headers: { 'Content-Type': 'text/plain' } }),
    },
    'says OK in /health, and nothing else': { health: () => ({ status: 200, body: 'OK' }) },
    'says "degraded" in one poll of many': {
      health: (body, { polls }) => (polls === 4 ? { ...body, status: 'degraded' } : body),
    },
    'says "OK"': { health: body => ({ ...body, status: 'OK' }) },
    'says "busy" during a run': {
      takes: 200,
      health: (body, { underWay }) => (underWay > 0 ? { ...body, status: 'busy' } : body),
    },
  },
  'health.agent_id': {
    'has a name as its agent_id': { health: body => ({ ...body, agent_id: 'agent-seven' }) },
    'changes its agent_id at every poll': {
      health: (body, { polls }) => ({ ...body, agent_id: `agent-${polls}` }),
    },
    'has a number as its agent_id': { health: body => ({ ...body, agent_id: 4711 }) },
  },
  'health.agent_name': {
    'has an empty name': { health: body => ({ ...body, agent_name: '' }) },
    'has an object as its agent_name': { health: body => ({ ...body, agent_name: { en: 'Zoo' } }) },
  },
  'request.test_id': {
    'takes test ids below 1000 only': {
      when: ({ task }) => Number(/^test-(\d+)/.exec(task.id)?.[1] ?? 0) >= 1_000,
      reply: () => json(422, { message: 'no such test' }),
    },
    'answers test ids with a canned text': {
      when: ({ task }) => task.id.startsWith('test-'),
      outcome: said => ({ ...said, text: 'This is a test.' }),
    },
    'takes UUIDs only': {
      when: ({ task }) => task.id.startsWith('test-'),
      reply: () => json(422, { message: 'not a UUID' }),
    },
    'repeats its answer to a known test id': {
      outcome: (said, { ended, task }) => ended.find(({ task: { id } }) => id === task.id)?.outcome ?? said,
    },
  },
  'status.code': {
    'answers 500 to words of tokenizers': {
      when: ({ task }) => /<\|\w+\|>/.test(task.input),
      reply: () => json(500, { message: 'disallowed special token' }),
    },
    'answers 403 to what may be an attack': {
      when: ({ task }) => /<script|\.\.\//.test(task.input),
      reply: () => json(403, { message: 'blocked' }),
    },
    'answers 500 to a task without a letter': {
      when: ({ task }) => !/\p{L}/u.test(task.input),
      reply: () => json(500, { message: 'no language found' }),
    },
    'answers 201': { reply: reply => ({ ...reply, status: 201 }) },
    'answers 200 with a body cut in half': {
      reply: reply => ({ ...reply, body: reply.body.slice(0, -20) }),
    },
  },
  'status.error': {
    'answers 500 where a run failed': {
      reply: reply => (JSON.parse(reply.body).status === 'error' ? { ...reply, status: 500 } : reply),
    },
    'answers 500 where a tool fails': {
      when: ({ task }) => fails(task),
      reply: () => json(500, { message: 'division by zero' }),
    },
    'answers 422 where a run failed': {
      reply: reply => (JSON.parse(reply.body).status === 'error' ? { ...reply, status: 422 } : reply),
    },
  },
  'status.timeout': {
    'answers 504 when its time is over': { timedOut: body => json(504, body) },
    'says "timed_out" when its time is over': {
      timedOut: body => json(200, { ...body, status: 'timed_out' }),
    },
    'answers without metrics when its time is over': {
      timedOut: ({ metrics: _, ...body }) => json(200, body),
    },
    'says "timeout" where a run failed': {
      body: body => (body.status === 'error' ? { ...body, status: 'timeout' } : body),
    },
    'forgets the task_id when its time is over': {
      timedOut: body => json(200, { ...body, task_id: '' }),
    },
  },
  'availability.polls': {
    'misses one poll in many': { health: (body, { polls }) => (polls === 4 ? json(503, body) : body) },
    'misses four polls in a row': {
      health: (body, { polls }) => (polls > 5 && polls < 10 ? json(503, body) : body),
    },
    'answers no poll while it works': {
      takes: 200,
      health: (body, { underWay }) => (underWay > 0 ? json(503, body) : body),
    },
  },
  'headers.content_type': {
    'takes application/json only without a character set': {
      when: ({ call }) => call.headers['content-type'] !== 'application/json',
      reply: () => json(415, { message: 'not JSON' }),
    },
    'needs an Accept header': {
      when: ({ call }) => call.headers.accept === undefined,
      reply: () => json(406, { message: 'what do you accept?' }),
    },
    'sends its replies as text/html': {
      reply: reply => ({ ...reply, headers: { 'Content-Type': 'text/html' } }),
    },
  },
  'headers.authorization': {
    'takes a token only once': {
      when: ({ earlier }) => earlier.length > 0,
      reply: () => json(401, { message: 'used token' }),
    },
    'answers a wrong token with 500': {
      refuse: ({ status }, reply) => (status === 401 ? { ...reply, status: 500 } : reply),
    },
    'refuses every request with an Authorization header': {
      isOpen: true,
      when: ({ call }) => call.headers.authorization !== undefined,
      reply: () => json(400, { message: 'no such header' }),
    },
    'takes any token': { anyToken: true },
  },
  'status.success': {
    'tells a failure as a success without output': {
      body: ({ error: _, ...body }) =>
        body.status === 'error' ? { ...body, status: 'success', output: '' } : body,
    },
    'tells a failure as a success, with the error as its output': {
      body: ({ error: _, ...body }) =>
        body.status === 'error' ? { ...body, status: 'success', output: `Error: ${body.output}` } : body,
    },
    'fails at every tenth task': {
      when: ({ earlier }) => earlier.length % 10 === 9,
      outcome: said => ({ ...said, status: 'error', text: 'model unavailable' }),
    },
  },
  'health.no_body': {
    'answers /health with 500': { health: body => json(500, body) },
    'wants a token for /health after a run': {
      health: (body, { runs }) => (runs > 0 ? json(401, { message: 'token' }) : body),
    },
    'wants a token for /health': {
      health: (body, { headers }) => (headers.authorization ? body : json(401, { message: 'token' })),
    },
  },
  'errors.reserved': {
    'takes no run from the fortieth on, and says that it will': {
      when: ({ earlier }) => earlier.length >= 40,
      reply: () => json(503, { message: 'full' }, { 'Retry-After': '1' }),
    },
    'refuses each run twice, for now': {
      when: ({ earlier, task }) => earlier.filter(({ id }) => id === task.id).length < 2,
      reply: () => json(503, { message: 'later' }, { 'Retry-After': '0' }),
    },
    'answers 503 to every tenth run': {
      when: ({ earlier }) => earlier.length % 10 === 9,
      reply: () => json(503, { message: 'busy' }),
    },
    'answers 429 to a task that it knows': {
      when: ({ earlier, task }) => earlier.filter(({ input }) => input === task.input).length > 2,
      reply: () => json(429, { message: 'enough' }),
    },
  },
  'errors.shape': {
    'has metrics of null members where a run failed': {
      body: body =>
        body.status === 'error' ? { ...body, metrics: { ...Object(body.metrics), steps: null } } : body,
    },
    'has a list of errors': {
      body: body => (body.status === 'error' ? { ...body, error: [body.error] } : body),
    },
    'answers an invalid request with 200 and only an error': {
      refuse: ({ message, taskId }) => json(200, { task_id: taskId, status: 'error', error: message }),
    },
  },
  'runs.overlap': {
    'fails a run that overlaps another': {
      when: ({ overlaps }) => overlaps,
      takes: 20,
      body: body => ({ ...body, status: 'error', output: '', metrics: {}, error: 'busy' }),
    },
    'cuts the connection of a run that overlaps another': {
      when: ({ overlaps }) => overlaps,
      takes: 20,
      reply: () => CUT,
    },
    'keeps the current task in one place for all runs': {
      takes: OVERLAP_MS,
      task: ({ id }, { latest }) => ({ ...latest(), id }),
    },
    'does equal tasks at once as one, and answers all with its id': {
      takes: OVERLAP_MS,
      body: (body, { begun, task }) => ({
        ...body,
        task_id: begun().findLast(({ input }) => input === task.input)!.id,
      }),
    },
    'names the run before in one answer of twenty': {
      when: ({ earlier }) => earlier.length % 20 === 19,
      outcome: (said, { earlier }) => ({ ...said, text: `${said.text} After ${earlier.at(-1)!.id}.` }),
    },
    'keeps the current task_id in one place for all runs': {
      takes: OVERLAP_MS,
      body: (body, { latest }) => ({ ...body, task_id: latest().id }),
    },
  },
  connections: {
    'answers a second request on a connection with the first reply': { again: first => first },
    'answers no run after a caller has hung up': { takes: 200, hungUp: 'fails' },
    'ends all runs in progress when a caller hangs up': { takes: 200, hungUp: 'cancels' },
    'logs the body of a caller that hung up': { takes: 200, hungUp: body => body },
    'answers no run after half a body': { half: 'breaks' },
    'runs the half of a task': { half: 'runs' },
    'is busy while half a body is due': { half: 'occupies' },
    'leaves a body that it refuses unread, and keeps the connection': { unread: true },
    'reads the body of a request that it refuses by its first lines as the next request': {
      again: (first, second) =>
        [401, 404, 405].includes(first.status) ? { status: 400, body: 'Bad Request' } : second,
    },
    'loses a slot of eight at each hang-up': { takes: 50, slots: 8 },
  },
  'encoding.bytes': {
    'writes two members named status': {
      reply: reply => ({ ...reply, body: `{"status":"error",${reply.body.slice(1)}` }),
    },
    'does not know the Host that it is asked for': {
      when: ({ call }) => !/^(127\.|localhost)/.test(call.headers.host!),
      reply: () => json(400, { message: 'no such host' }),
    },
    'reads each 300 bytes of an input by themselves': {
      task: task => ({ ...task, input: inPieces(task.input, 300) }),
    },
    'appends a line to its JSON': { reply: reply => ({ ...reply, body: `${reply.body}\nOK` }) },
    'loses the marks of letters': {
      reply: reply => ({ ...reply, body: reply.body.normalize('NFD').replace(/[^ -~\n]/g, '') }),
    },
    'starts each reply with a byte order mark': {
      reply: reply => ({ ...reply, body: `\ufeff${reply.body}` }),
    },
    'compresses every reply': { compresses: true },
  },
  'limits.p95': {
    'is slow on one run in eight': {
      when: ({ earlier }) => earlier.length % 8 === 7,
      takes: 1.2 * SHORT.p95Ms!,
      limits: { ...SHORT, sampleSize: 16 },
      only: ['limits'],
    },
  },
  'health.timeout': {
    'answers no poll for a while, after 60 runs': {
      health: async (body, { runs }) => {
        if (runs > 60 && runs < 120) await pause(NEVER_MS)
        return body
      },
      limits: SHORT,
      only: ['health', 'run', 'limits'],
    },
    'answers the third poll too late': {
      health: async (body, { polls }) => {
        if (polls === 3) await pause(NEVER_MS)
        return body
      },
      limits: SHORT,
    },
  },
  'open.members': {
    'refuses members that it does not know': {
      when: ({ call }) => /"(priority|temperature)"/.test(call.body),
      reply: () => json(422, { message: 'unknown member' }),
    },
    'breaks at 1,000 nested arrays': {
      when: ({ call }) => call.body.includes('['.repeat(1_000)),
      reply: () => json(500, { message: 'too deep' }),
    },
  },
  'open.errors': {
    'shows a stack trace': { refuse: ({ stack = '' }) => json(400, { message: stack }) },
    'refuses with an HTML page': {
      refuse: () => ({
        status: 400,
        body: '<!doctype html><title>Bad Request</title>',
        headers: { 'Content-Type': 'text/html' },
      }),
    },
    'takes a max_tokens of -1 as unlimited': {
      refuse: ({ message, taskId }, reply) =>
        message.includes('max_tokens') ? json(200, { ...DONE, task_id: taskId }) : reply,
    },
    'answers anything not sent as JSON with 500': {
      refuse: ({ status }, reply) => (status === 415 ? { ...reply, status: 500 } : reply),
    },
    'answers other methods and paths with 500': {
      refuse: ({ status }, reply) => (status === 404 || status === 405 ? { ...reply, status: 500 } : reply),
    },
  },
}
