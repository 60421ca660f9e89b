import { randomInt } from 'node:crypto'
import { randomNumber } from '../../secrets.ts'
import { numbersIn } from '../../tasks/numbers-and-times.ts'
import { type Check, check } from '../check.ts'
import { type CheckedRun, outputOf } from '../session/replies.ts'
import { newTestId, type Session, type TaskRun } from '../session/session.ts'
import { expectNone, Failed, OutOfSight } from '../verdicts.ts'
import { rootRun, rootSteps } from './overrides.ts'
import { repeat } from './repeated-text.ts'
import {
  CAPPED,
  deviations,
  FILLER,
  type Marked,
  markedPrompt,
  mentions,
  promptLeaks,
  rightOnes,
  subject,
  TOOLLESS,
  variant,
  withBlanks,
} from './subject.ts'
import { expectNoneAgain, growth, usual } from './variation.ts'

/** Nothing of which may be left for another run. In two runs, since one without tools may fail before it keeps a prompt. */
export const LEFT_BEHIND = [{ system_prompt: FILLER }, { ...CAPPED, ...TOOLLESS }]

/** A run must not be affected by earlier ones. */
export function isolation(session: Session): Check[] {
  const { prompted, capped, toolless } = configured(session)
  /** Of every try: an agent may have kept the answer of one beside others, for the one alone. */
  const done: (Similar & { run: CheckedRun })[] = []
  const isNotKept = (member: string, title: string, first: Configured, after = plain): Check =>
    check(`run.${member}_not_kept`, title, async () => {
      await expectNoneAgain(session, async tries => {
        const { blanks, run } = await configuredRun(session, first, tries)
        const { next, problems } = await after(session, blanks + NEXT_BLANKS)
        session.shows(run.run, next.run)
        expectNone(promptLeaks(first.mark, next))
        const members = Object.keys(first.config).join(' and ')
        return problems.map(problem => `a run without ${members}, after one with it: ${problem}`)
      })
    })
  return [
    check(
      'run.similar_tasks',
      'Tasks that differ in punctuation, digits, a word, its case, the order of words or their end alone get their own answers',
      async () => {
        let isAble = false
        await expectNoneAgain(session, async () => {
          const problems: string[] = []
          const mistaken: [CheckedRun, CheckedRun][] = []
          for (const task of similarTasks()) {
            const run = await session.run({ input: task.input })
            const holds = ({ answer }: Similar) => isIn(answer, outputOf(run))
            const isRight = holds(task)
            isAble ||= isRight
            const said = String(run.reply.output)
            const isOther = (one: CheckedRun) => isEcho(said, one.request.input) && !isEcho(said, task.input)
            const other = isRight ? undefined : (done.find(holds)?.run ?? session.runs.find(isOther))
            if (other) {
              mistaken.push([other, run])
              problems.push(
                `expected ${task.answer}, got ${JSON.stringify(said.slice(0, SHOWN))}, the answer to ${JSON.stringify(other.request.input)}`,
              )
            }
            done.push({ ...task, run })
          }
          if (mistaken[0]) session.shows(...mistaken[0])
          return problems
        })
        if (!isAble) throw new OutOfSight('this agent neither does sums nor repeats text')
      },
    ),
    isNotKept('system_prompt_is', "One run's system_prompt does not reach the next", prompted),
    isNotKept('max_tokens_is', "One run's max_tokens does not cut the next run short", capped),
    isNotKept('enabled_tools_are', 'A run without tools does not affect the next', toolless, withTool),
    check('run.config_each', 'The same input with another config gets its own answer', async () => {
      const expectOwn = async (first: Configured) =>
        await expectNoneAgain(session, async tries => {
          const { blanks, run } = await configuredRun(session, first, tries)
          const next = await variant(session, blanks)
          session.shows(run.run, next.run)
          return await deviations(session, next)
        })
      // Each has an input of its own, so they may be beside each other.
      await session.together([
        () => expectOwnPrompt(session, prompted),
        () => expectOwn(capped),
        () => expectOwn(toolless),
      ])
    }),
    check(
      'run.same_test_id',
      'Another task under a used test-<n> gets its own answer, without the config of the first',
      async () => {
        const [first, second] = (await rightOnes(session, 2)) as [TaskRun, TaskRun]
        const usualOnes = await usual(session, second)
        await expectNoneAgain(session, async tries => {
          const taskId = newTestId()
          for (const config of LEFT_BEHIND) await session.runTask(first.task, taskId, config)
          const next = await session.runTask(withBlanks(second.task, 1 + tries), taskId)
          return [...next.problems, ...growth(usualOnes, next)]
        })
      },
    ),
    check(
      'run.no_memory',
      'Later tasks do not know what an earlier one said, even under the same test-<n>',
      async () => {
        const usualOnes = await usual(session, await session.reference())
        await expectNoneAgain(session, async () => {
          return growth(usualOnes, await expectForgotten(session))
        })
      },
    ),
  ]
}

/** What comes after a run with config. */
async function plain(
  session: Session,
  blanks: number,
): Promise<{ next: Pick<TaskRun, 'run'>; problems: readonly string[] }> {
  const next = await variant(session, blanks)
  return { next, problems: await deviations(session, next) }
}

/** The same; of an agent that finds roots with a tool only, one of them, which no model finds in its head. */
async function withTool(session: Session, blanks: number): ReturnType<typeof plain> {
  if ((await session.once(rootSteps)) === undefined) return await plain(session, blanks)
  const { run, isExact, isOther } = await rootRun(session)
  const problem = `expected a root that takes a tool, as before, got ${JSON.stringify(run.reply.output)}`
  return { next: { run }, problems: isExact || isOther ? [] : [problem] }
}

/** Nobody says so many characters of a task by chance. */
const LEAST_ECHO = 12
const SHOWN = 200

/** A task, and how to see its answer in an output. */
interface Similar {
  readonly input: string
  readonly answer: string | number
}

/** Drawn anew each time; whatever leaves out what they differ by takes them for one. */
function similarTasks(): Similar[] {
  const [a, b, c] = [randomInt(5, 9), randomInt(1, 5), randomInt(1, 10)]
  const sum = (left: string, word: '+' | 'minus', right: string): Similar => ({
    input: `What is ${left} ${word} ${right}?`,
    answer: Number((Number(left) + (word === '+' ? 1 : -1) * Number(right)).toFixed(2)),
  })
  // In another alphabet, so that what is counted of it shows, too.
  const before = 'Лавка на нашей улице продаёт чай. '.repeat(randomInt(6, 12))
  const word = `Q${randomNumber().toString(36)}x`
  const words = [`${word} sea`, `sea ${word}`, `sea q${word.slice(1, -1).toUpperCase()}X`]
  return [
    // Next to what each is like: an agent may know few of the last tasks.
    sum(`${b}.${a}${c}`, '+', `${a}.5`),
    sum(`${a}.${b}${c}`, '+', `${b}.5`),
    sum(`${a}${b}.${c}`, '+', `${b}5`),
    sum(`${a}.${b}${c}`, 'minus', `${b}.5`),
    ...words.map(text => ({ input: repeat(`${before}${text}`), answer: text })),
  ]
}

/** Whether a text was to be repeated. */
function isEcho(text: string, input: string): boolean {
  return text.trim().length >= LEAST_ECHO && input.includes(text.trim())
}

function isIn(answer: string | number, text: string): boolean {
  return typeof answer === 'string'
    ? text.includes(answer)
    : numbersIn(text).some(number => Math.abs(number - answer) < 1e-9)
}

type Configured = ReturnType<typeof configuredWith>

/**
 * A run of the subject with config, which others must not be affected by; the first one is alone, and several checks share it.
 *
 * @param blanks appended to the input: each has its own, and so has each run without config after it, for an agent with a cache
 */
function configuredWith(blanks: number, mark: Marked, more: object) {
  const config = { ...mark.config, ...more }
  return { blanks, mark, config, first: (session: Session) => variant(session, blanks, config) }
}

/** How many more blanks the next run has. */
const NEXT_BLANKS = 2
/** More than any of the others: each try has blanks of its own, and of the next one. */
export const BLANKS_A_TRY = 10

const known = new WeakMap<Session, Readonly<Record<'prompted' | 'capped' | 'toolless', Configured>>>()

/** Each member has a run that brings it; runs that overlap bring different values of each. */
export function configured(session: Session) {
  const drawn = known.get(session) ?? {
    prompted: configuredWith(5, markedPrompt('ZEBRA', FILLER), { max_tokens: 4096 }),
    capped: configuredWith(1, markedPrompt('OTTER'), CAPPED),
    toolless: configuredWith(2, markedPrompt('LYNX', FILLER), TOOLLESS),
  }
  known.set(session, drawn)
  return drawn
}

/** Makes such a run, and tells how many blanks it had. */
async function configuredRun(session: Session, { blanks, config, first }: Configured, tries: number) {
  const own = blanks + tries * BLANKS_A_TRY
  return { blanks: own, run: await (tries > 0 ? variant(session, own, config) : session.once(first)) }
}

/** An input that is known, under another system prompt or under none, is answered under this one all the same. */
async function expectOwnPrompt(session: Session, first: Configured): Promise<void> {
  const [prompt, other] = [first.mark, markedPrompt('LLAMA')]
  await expectNoneAgain(session, async tries => {
    const { blanks, run } = await configuredRun(session, first, tries)
    const next = await variant(session, blanks, other.config)
    session.shows(run.run, next.run)
    expectNone(promptLeaks(prompt, next))
    const lapses = [
      ...(run.problems.length === 0 ? next.problems : []),
      ...growth(await usual(session, await session.once(subject)), next),
    ]
    if (!mentions(run, prompt)) return lapses
    await variant(session, blanks + 1)
    const known = await variant(session, blanks + 1, prompt.config)
    const isObeyed = mentions(known, prompt) || known.run.reply.status !== 'success'
    return isObeyed
      ? lapses
      : [...lapses, `expected the word ${prompt.word} of its system prompt, as for another input`]
  })
}

/**
 * Tells two runs a word, and asks for it under the id of one of them; under that of the other the reference is run again.
 *
 * @throws Failed if a later run knows the word
 */
async function expectForgotten(session: Session): Promise<TaskRun> {
  const word = `OKAPI${randomNumber()}`
  const remember = `Please remember this code word for later: ${word}. Now answer: what is 2 + 2?`
  const input = 'Which code word did I give you before? If there was none, say: none.'
  const ids = [newTestId(), newTestId()] as const
  const say = (id: string, text: string) => session.patiently(() => session.run({ task_id: id, input: text }))
  const told = await Promise.all(ids.map(id => say(id, remember)))
  const [again, ...laterRuns] = await Promise.all([
    session.patiently(() => session.again(undefined, ids[1])),
    ...[ids[0], newTestId()].map(id => say(id, input)),
  ])
  for (const run of laterRuns) {
    const text = JSON.stringify(run.reply)
    if (!text.includes(word)) continue
    session.shows(told[0]!, run)
    throw new Failed(`expected no ${word}, got ${text.slice(0, 300)}`)
  }
  return again
}
