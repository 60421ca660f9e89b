import { randomInt } from 'node:crypto'
import type { JsonObject } from '../../json.ts'
import { numbersIn } from '../../tasks/numbers-and-times.ts'
import { advice, type Check, check } from '../check.ts'
import { figuresOf, leastSteps, outputOf, PROSE_PER_TOKEN } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, NotRun, OutOfSight } from '../verdicts.ts'
import { membersBeside } from './members.ts'
import { letters } from './repeated-text.ts'
import { subject } from './subject.ts'
import { expectNoneAgain, persistent, usual, varies } from './variation.ts'

const SHORT = 'You do tasks.'
/** Some 8,500 characters: far less than a model reads, and more than an agent may cut it to. */
const LONG = `${SHORT} ${'Take care to be exact and brief, and use the tools that you have. '.repeat(130)}`
/** None begins as another does: a provider may have read that before. */
const SHORTER = { short: SHORT, half: LONG.slice(LONG.length / 2) }
/** How often to compare a short prompt with a long one, until two runs took the same number of steps. */
const PAIRS = 5
/** Nobody repeats this many characters of a system prompt by chance. */
const SHOWN_BY_CHANCE = 60
/** Whatever answers the question of a clock may call its model again. */
const CLOCK = { name: 'time', question: 'What time is it in Reykjavík? ' }
/** A model may word a number as nobody expects it. */
const ROOT_TRIES = 2
/** Of a root, more than this many are known only to a tool. */
const ROOT_DIGITS = 10
/** Without the tool that a root takes: alone, and beside each other member. */
const TOOLLESS: { enabled_tools: string[]; system_prompt?: string; max_tokens?: number }[] = [
  { enabled_tools: [] },
  { enabled_tools: [CLOCK.name] },
  { enabled_tools: ['no_such_tool_here'], system_prompt: SHORT },
  { enabled_tools: [], max_tokens: 4096 },
  { enabled_tools: [], system_prompt: SHORT, max_tokens: 4096 },
]

/** Whether `config` has an effect. An agent that does the opposite fails; anything less is an indication, and advisory. */
export function overrides(session: Session): Check[] {
  return [
    check(
      'run.system_prompt_counts',
      'A longer system_prompt costs more input tokens, and is no part of the answer',
      async () => {
        const short = await countedBeside(session, 'short')
        expectNone([...short, ...(await countedBeside(session, 'half'))])
      },
    ),
    advice(
      'run.system_prompt_replaces',
      "A system_prompt of three words takes the place of the agent's own, and costs no more",
      async () => {
        const owns = await usual(session, await session.reference())
        await expectNoneAgain(session, async tries => {
          const { short } = await prompted(session, tries)
          const { steps, input_tokens: got } = figuresOf(short)
          const same = owns.map(({ run }) => figuresOf(run)).filter(own => own.steps === steps)
          if (same.length === 0) throw new NotRun('needs two runs with the same number of steps')
          const most = Math.max(...same.map(({ input_tokens }) => Number(input_tokens)))
          if (!(Number(got) > most)) return []
          return [
            `expected at most ${most} input tokens, unless the agent's own prompt is shorter or there is none; got ${got}`,
          ]
        })
      },
    ),
    check('run.tools_in_any_order', 'The order of enabled_tools does not matter', async () => {
      const inOrder = await session.again({ enabled_tools: ['calculator', 'time'] })
      if ((await session.lapses(inOrder)).length > 0)
        throw new OutOfSight('this agent does not do its task with the calculator and time alone')
      const other = async () => await session.again({ enabled_tools: ['time', 'calculator'] })
      await expectNoneAgain(session, async () => await session.lapses(await other()))
    }),
    check('run.disabled_tools', 'Only enabled tools run', async () => await expectNoTool(session)),
    membersBeside(session),
  ]
}

/**
 * Runs the reference with a short system prompt, with a long one and with half of that.
 *
 * @param tries how many such runs the check has had; checks share them
 */
export async function prompted(session: Session, tries: number) {
  PROMPTED[tries] ??= one => prompt(one)
  return await session.once(PROMPTED[tries])
}

const PROMPTED: (typeof prompt)[] = []

async function prompt(session: Session) {
  // The tasks come first: a prompt that is kept would be in all that they are compared with.
  await session.once(subject)
  const { config } = (await session.reference()).task
  const runOf = async (system_prompt: string) => (await session.again({ ...config, system_prompt })).run
  return { short: await runOf(SHORT), half: await runOf(SHORTER.half), long: await runOf(LONG) }
}

/**
 * What is wrong, in each pair of runs with the same number of steps, with the tokens of a long prompt beside a shorter one.
 *
 * @throws OutOfSight if no two runs took as many steps
 */
async function countedBeside(session: Session, name: keyof typeof SHORTER): Promise<string[]> {
  const problems: string[] = []
  const enough = (await varies(session)) ? PAIRS : 2
  for (let pairs = 0; pairs < PAIRS && problems.length < enough; pairs += 1) {
    const { [name]: shorter, long } = await prompted(session, pairs)
    if (String(long.reply.output).includes(LONG.slice(0, SHOWN_BY_CHANCE)))
      throw new Failed('expected the result alone, got the system prompt too')
    const [before, after] = [figuresOf(shorter), figuresOf(long)]
    if (Number.isNaN(Number(before.input_tokens) + Number(after.input_tokens)))
      throw new NotRun('needs two successful runs')
    if (before.steps !== after.steps) continue
    const problem = miscount(before, after, LONG.length - SHORTER[name].length)
    if (problem === undefined) return []
    problems.push(problem)
  }
  if (problems.length === 0)
    throw new OutOfSight(`of ${PAIRS} pairs of runs none took the same number of steps`)
  return problems.slice(-1)
}

/** What is wrong with the tokens of two runs with the same number of steps. */
function miscount(short: JsonObject, long: JsonObject, more: number): string | undefined {
  const [fewer, got] = [Number(short.input_tokens), Number(long.input_tokens)]
  const least = fewer + Math.floor(more / PROSE_PER_TOKEN)
  // No tokenizer makes more than one token out of a letter, and each step reads it once.
  const most = fewer + more * Math.max(1, Number(long.steps))
  if (got >= least && got <= most) return undefined
  return `expected ${least} to ${most} input tokens for ${more} characters more, got ${got}`
}

/**
 * No model works out the root of ten digits to ten figures without a tool, least of all in as many steps as with one, or each
 * time in more than a run that needs none.
 */
async function expectNoTool(session: Session): Promise<void> {
  const steps = await session.once(rootSteps)
  if (steps === undefined) throw new OutOfSight("this agent's steps do not show whether a tool ran")
  const least = leastSteps(session.runs)
  const taken = async (config: (typeof TOOLLESS)[number]) => {
    const isFirst = config.enabled_tools.includes(CLOCK.name)
    const { run, isExact } = await rootRun(session, config, isFirst ? CLOCK.question : '')
    return isExact ? Number(figuresOf(run).steps) - Number(isFirst) : 0
  }
  const usesTool = async (config: (typeof TOOLLESS)[number]) => {
    const first = await taken(config)
    const again = async () => ((await taken(config)) > least ? ['exact'] : [])
    return first >= steps || (first > least && (await persistent(session, again)).length > 0)
  }
  for (const config of TOOLLESS) {
    if (!(await usesTool(config))) continue
    const { enabled_tools, ...others } = config
    const isAlone = Object.keys(others).length === 0 || (await usesTool({ enabled_tools }))
    const beside = isAlone ? '' : ` beside ${Object.keys(others).join(' and ')}: alone it has one`
    throw new Failed(
      `expected no tool to run, got the exact root in more steps than without one: enabled_tools ${JSON.stringify(enabled_tools)} has no effect${beside}`,
    )
  }
}

/** In how many steps a tool finds a root; undefined if that cannot be told from a run without one. */
export async function rootSteps(session: Session): Promise<number | undefined> {
  // Shows the steps of a run without a tool.
  await session.once(letters).catch(() => {})
  for (let tries = 0; tries < ROOT_TRIES; tries += 1) {
    const { run, isExact } = await rootRun(session)
    const steps = Number(figuresOf(run).steps)
    if (isExact && steps > leastSteps(session.runs)) return steps
  }
  return undefined
}

/** A run that has to find a root, of another number each time: what the agent remembers does not help. */
export async function rootRun(session: Session, config?: object, before = '') {
  const radicand = randomInt(1e9, 1e10)
  const run = await session.run({ input: `${before}What is the square root of ${radicand}?`, config })
  const isRoot = (number: number) => Math.abs(number / Math.sqrt(radicand) - 1) < 1e-10
  const numbers = numbersIn(outputOf(run))
  // No matter of tools: it is the answer to another one.
  const isOther = !numbers.some(isRoot) && numbers.some(number => String(number).length > ROOT_DIGITS)
  return { run, isExact: numbers.some(isRoot), isOther }
}
