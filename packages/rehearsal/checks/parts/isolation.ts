import { judge } from '../../tasks/judge.ts'
import type { SampleTask } from '../../tasks/task.ts'
import { advice, type Check, check } from '../check.ts'
import { type CheckedRun, failuresOf, figuresOf, isBusy } from '../session/replies.ts'
import { newTestId, type Session, type TaskRun } from '../session/session.ts'
import { expectNone, Failed, NotRun, OutOfSight } from '../verdicts.ts'
import { growth, persistent, usual, varies } from './again.ts'

/** Long enough to show in the token count of a model that still reads it: some 900 tokens. */
const FILLER = 'Keep this in mind for all that follows, and pass it on to nobody. '.repeat(60)
const CAPPED = { max_tokens: 1 }
const TOOLLESS = { enabled_tools: [] }
/** Nothing of which may be left for another run. In two runs, since one without tools may fail before it keeps a prompt. */
export const LEFT_BEHIND = [{ system_prompt: FILLER }, { ...CAPPED, ...TOOLLESS }]

/** A run must not be affected by earlier or concurrent runs. */
export function isolation(session: Session): Check[] {
  const { burst, bursts } = session.limits
  const marker = `ZEBRA${newTestId().slice(5)}`
  const prompt = { system_prompt: `Begin and end every answer with the word ${marker}. ${FILLER}` }
  const configs = [CAPPED, prompt, TOOLLESS]
  const isNotKept = (member: string, title: string, first: Beside): Check =>
    check(`run.${member}_not_kept`, title, async () => {
      const { task } = await session.once(subject)
      const attempt = async (tries: number) => {
        await beside(session, first, tries)
        const next = await session.runTask(task)
        const isMentioned = JSON.stringify(next.run.reply).includes(marker)
        if (isMentioned)
          throw new Failed(`expected nothing of another run's system prompt, got its word ${marker}`)
        return await deviations(session, next)
      }
      expectNone(await persistent(session, attempt))
    })
  const atOnce = `for i in $(seq ${burst}); do ${session.curlFirst()} & done; wait`
  return [
    isNotKept('system_prompt_is', "One run's system_prompt does not reach the next", {
      blanks: 8,
      config: prompt,
    }),
    isNotKept('max_tokens_is', "One run's max_tokens does not cut the next run short", CAPPED_RUN),
    isNotKept('enabled_tools_are', 'A run without tools does not affect the next', TOOLLESS_RUN),
    check('run.config_each', 'The same input with another config gets its own answer', async () => {
      for (const first of [CAPPED_RUN, TOOLLESS_RUN]) {
        const attempt = async (tries: number) => {
          const blanks = await beside(session, first, tries)
          return await deviations(session, await variant(session, blanks))
        }
        expectNone(await persistent(session, attempt))
      }
    }),
    check(
      'run.same_test_id',
      'Another task under a used test-<n> gets its own answer, without the config of the first',
      async () => {
        const [first, second] = (await rightOnes(session, 2)) as [TaskRun, TaskRun]
        const usualOnes = await usual(session, second)
        const attempt = async () => {
          const taskId = newTestId()
          for (const config of LEFT_BEHIND) await session.runTask(first.task, taskId, config)
          const next = await session.runTask(second.task, taskId)
          return [...next.problems, ...growth(usualOnes, next)]
        }
        expectNone(await persistent(session, attempt))
      },
    ),
    check(
      'run.no_memory',
      'Later tasks do not know what an earlier one said, even under the same test-<n>',
      async () => {
        const usualOnes = await usual(session, await session.reference())
        const attempt = async () => {
          const taskId = newTestId()
          await expectForgotten(session, taskId)
          return growth(usualOnes, await session.again(undefined, taskId))
        }
        expectNone(await persistent(session, attempt))
      },
    ),
    advice('run.at_once', `${burst} concurrent runs are all accepted, ${bursts} times`, async () => {
      session.how = atOnce
      const { runs } = await session.burst()
      const refused = runs.filter(({ run }) => isBusy(run.exchange)).length
      if (refused > 0) throw new Failed(`${refused} of ${runs.length} were refused with HTTP 429 or 503`)
    }),
    check(
      'run.concurrent',
      `Of ${burst * bursts} runs, ${burst} at once, none gets another's task_id or answer`,
      async () => {
        session.how = atOnce
        expectNone(await mixUps(session))
      },
    ),
    check(
      'run.concurrent_config',
      `Of ${bursts * 2 * configs.length} runs, ${2 * configs.length} at once, none gets another's config`,
      async () => expectNone(await swaps(session, configs)),
    ),
  ]
}

/** The correctly answered task with the longest answer, so that truncation shows. */
export async function subject(session: Session): Promise<TaskRun> {
  const reference = await session.reference()
  if (reference.problems.length > 0) return reference
  // Run all tasks first, before any other run could affect them.
  if (session.options.only?.includes('result') ?? true) await session.allTasks()
  const right = await rightOnes(session, 1, session.tasks.length)
  const length = ({ run }: TaskRun) => String(run.reply.output).length
  const longest = right.reduce((most, one) => (length(one) > length(most) ? one : most), reference)
  await usual(session, longest)
  return longest
}

/** A run of the subject with config, which others must not be affected by. */
interface Beside {
  /** Appended to the input. */
  readonly blanks: number
  readonly config: object
}

const CAPPED_RUN: Beside = { blanks: 1, config: CAPPED }
const TOOLLESS_RUN: Beside = { blanks: 2, config: TOOLLESS }
const BESIDE_BLANKS = 7
/** More than any of the others: each try has blanks of its own. */
const BLANKS_A_TRY = 10

export const capped = (session: Session) => variant(session, CAPPED_RUN.blanks, CAPPED)
const withoutTools = (session: Session) => variant(session, TOOLLESS_RUN.blanks, TOOLLESS)

/** Makes such a run; the first of its kind is shared. @returns how many blanks it had */
async function beside(session: Session, { blanks, config }: Beside, tries: number): Promise<number> {
  const shared =
    tries > 0 ? undefined : { [CAPPED_RUN.blanks]: capped, [TOOLLESS_RUN.blanks]: withoutTools }[blanks]
  const own = blanks + tries * BLANKS_A_TRY
  await (shared ? session.once(shared) : variant(session, own, config))
  return own
}

/** @param blanks number of spaces to append to the input: a cache sees another input, a model the same one */
async function variant(session: Session, blanks: number, config?: object): Promise<TaskRun> {
  const { task } = await session.once(subject)
  const other = { ...task, input: `${task.input}${' '.repeat(blanks)}` }
  return await session.runTask(other, undefined, config && { ...task.config, ...config })
}

/** What is wrong with another run of the subject: judged no more strictly than the first, and by the tokens it read. */
export async function deviations(session: Session, next: TaskRun): Promise<string[]> {
  const before = await session.once(subject)
  return [...(await session.lapses(next, before)), ...growth(await usual(session, before), next)]
}

/** @throws Failed if a later run knows a word that one under this id was told */
async function expectForgotten(session: Session, taskId: string): Promise<void> {
  const word = `OKAPI${newTestId().slice(5)}`
  const remember = `Please remember this code word for later: ${word}. Now answer: what is 2 + 2?`
  const input = 'Which code word did I give you before? If there was none, say: none.'
  await session.run({ task_id: taskId, input: remember })
  const ids = [taskId, newTestId()]
  const laterRuns = await Promise.all(ids.map(id => session.run({ task_id: id, input })))
  for (const { reply } of laterRuns) {
    const text = JSON.stringify(reply)
    if (text.includes(word)) throw new Failed(`expected no ${word}, got ${text.slice(0, 300)}`)
  }
}

/** Tasks of the file that this agent solves. */
async function rightOnes(session: Session, least: number, most = least): Promise<TaskRun[]> {
  const right: TaskRun[] = []
  for (let index = 0; index < session.tasks.length && right.length < most; index += 1) {
    if (right.length < least && index > 2 * least + 2) break
    const taskRun = await session.taskRun(index)
    if (taskRun.problems.length === 0) right.push(taskRun)
  }
  if (right.length < least) throw new NotRun(`needs ${least} tasks that this agent solves`)
  return right
}

/** @throws OutOfSight if the agent accepted fewer than two */
function acceptedOf(runs: readonly TaskRun[]): readonly TaskRun[] {
  const others = runs.filter(({ run }) => !isBusy(run.exchange))
  if (others.length < 2)
    throw new OutOfSight(`of ${runs.length} concurrent runs the agent accepts ${others.length}`)
  return others
}

/** Replies in a burst that belong to another of its runs, or are no longer right. */
async function mixUps(session: Session): Promise<string[]> {
  const { runs } = await session.burst()
  const accepted = acceptedOf(runs)
  const ids = runs.map(({ run }) => run.request.task_id)
  const strays: Stray[] = []
  for (const { task, run, problems } of accepted) {
    const { task_id } = run.reply
    if (task_id !== run.request.task_id && ids.includes(String(task_id))) {
      const problem = `expected the task_id ${run.request.task_id}, got that of another run, ${task_id}`
      strays.push({ run, problem, isCertain: true })
    } else if (problems.length > 0 && (await isSolved(session, task))) {
      const isAnswered = run.reply.status === 'success'
      const others = accepted.filter(other => other.task !== task)
      const isOthers = others.some(other => judge(other.task.expect, run.reply, run.when).length === 0)
      const [problem = problems.join('; ')] = failuresOf(run)
      strays.push({ run, problem, isCertain: !isAnswered || isOthers })
    }
  }
  // A model may word an answer so that it is taken for wrong.
  return problemsOf(session, (await varies(session)) ? strays.filter(({ isCertain }) => isCertain) : strays)
}

/** Whether the agent does a task right, before and now. */
async function isSolved(session: Session, task: SampleTask): Promise<boolean> {
  const { problems } = await session.taskRun(session.tasks.indexOf(task))
  return problems.length === 0 && (await session.runTask(task)).problems.length === 0
}

/** How runs of one task with different configs differ, when several are in progress, from the same ones alone. */
async function swaps(session: Session, configs: readonly object[]): Promise<string[]> {
  const single = () => variant(session, 3).then(run => deviations(session, run))
  if ((await persistent(session, single)).length > 0) throw new NotRun('a single run fails too')
  const plain: Kind = {
    config: undefined,
    alone: [...(await usual(session, await session.once(subject)))],
    runs: [],
  }
  const mixed: Kind[] = []
  for (const config of configs)
    mixed.push(plain, { config, alone: [await variant(session, BESIDE_BLANKS, config)], runs: [] })
  for (let round = 0; round < session.limits.bursts; round += 1) {
    // The last to arrive is one with config, then one without.
    const order = round % 2 === 0 ? mixed : mixed.toReversed()
    const runs = await Promise.all(order.map(({ config }) => variant(session, BESIDE_BLANKS, config)))
    const accepted = acceptedOf(runs)
    for (const [index, kind] of order.entries())
      if (accepted.includes(runs[index]!)) kind.runs.push(runs[index]!)
  }
  const strays: Stray[] = []
  for (const kind of new Set(mixed)) strays.push(...(await straysOf(session, kind)))
  return problemsOf(session, strays)
}

/** Runs that differ from each of the same kind alone; of an agent that varies, only if all of them do. */
async function straysOf(session: Session, kind: Kind): Promise<Stray[]> {
  const isVaried = await varies(session)
  const found = () => kind.runs.map(run => strayOf(kind, run, isVaried)).filter(stray => stray !== undefined)
  const isSuspect = () => found().length > 0 && (!isVaried || found().length === kind.runs.length)
  // An agent may do the same task in more than one way.
  for (let most = isVaried ? MOST_ALONE : 2; isSuspect() && kind.alone.length < most; )
    kind.alone.push(await variant(session, BESIDE_BLANKS, kind.config))
  return isSuspect() ? found() : []
}

/** Of one kind, from an agent that varies. */
const MOST_ALONE = 16

function strayOf({ alone }: Kind, taskRun: TaskRun, isVaried: boolean): Stray | undefined {
  const leak = leakOf(alone, taskRun)
  const isRight = alone.every(({ problems }) => problems.length === 0)
  const [problem = leak] = isRight && !isVaried ? taskRun.problems : []
  if (problem === undefined) return undefined
  return { run: taskRun.run, problem: leak ?? problem, isCertain: leak !== undefined }
}

/** Runs of the subject with one config. */
interface Kind {
  readonly config: object | undefined
  readonly alone: TaskRun[]
  /** Beside others. */
  readonly runs: TaskRun[]
}

/** A run that is not, beside others, what it is alone. */
interface Stray {
  readonly run: CheckedRun
  readonly problem: string
  /** Whether only another run can be behind it; a model may also answer one task in many wrong. */
  readonly isCertain: boolean
}

function problemsOf(session: Session, strays: readonly Stray[]): string[] {
  const counted = strays.length > 1 ? strays : strays.filter(({ isCertain }) => isCertain)
  if (counted.length > 0) session.seen = counted.map(({ run }) => run)
  return [...new Set(counted.map(({ problem }) => `beside other runs: ${problem}; alone it is right`))]
}

/** What shows in a run that it had another config than each of the same kind alone. */
function leakOf(alone: readonly TaskRun[], { run, problems }: TaskRun): string | undefined {
  const outcomeOf = ({ exchange, reply }: CheckedRun) => `${exchange.status} ${JSON.stringify(reply.status)}`
  const outcomes = alone.map(one => outcomeOf(one.run))
  if (!outcomes.includes(outcomeOf(run)))
    return `expected ${[...new Set(outcomes)].join(' or ')}, got ${outcomeOf(run)}`
  const figures = alone.map(one => figuresOf(one.run))
  const after = figuresOf(run)
  const cap = Number(run.request.config?.max_tokens)
  if (Number(after.output_tokens) > cap && figures.every(before => Number(before.output_tokens) <= cap))
    return `expected at most ${cap} output tokens, got ${after.output_tokens}`
  const isBetter = problems.length === 0 && alone.every(one => one.problems.length > 0)
  const mostSteps = Math.max(...figures.map(({ steps }) => Number(steps)))
  if (isBetter && Number(after.steps) > mostSteps)
    return `expected ${mostSteps} steps, without tools, got ${after.steps}`
  return otherTokens(alone, run)
}

/** Whether a run read many more tokens than each of the same kind alone, or many fewer. */
function otherTokens(alone: readonly TaskRun[], run: CheckedRun): string | undefined {
  const isMore = growth(alone, { run }).length > 0
  const isFewer = alone.every(one => growth([{ run }], one).length > 0)
  if (!isMore && !isFewer) return undefined
  const usual = alone.map(one => figuresOf(one.run).input_tokens)
  return `expected about ${usual[0]} input tokens, got ${figuresOf(run).input_tokens}`
}
