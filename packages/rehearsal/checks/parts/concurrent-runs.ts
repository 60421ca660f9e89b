import { judge } from '../../tasks/judge.ts'
import type { SampleTask } from '../../tasks/task.ts'
import { advice, type Check, check } from '../check.ts'
import { type CheckedRun, failuresOf, figuresOf, isBusy } from '../session/replies.ts'
import type { Session, TaskRun } from '../session/session.ts'
import { expectNone, Failed, NotRun, OutOfSight } from '../verdicts.ts'
import { excess } from './cap.ts'
import { BLANKS_A_TRY, configured } from './isolation.ts'
import { deviations, type Marked, mentions, promptLeaks, subject, variant } from './subject.ts'
import { expectNoneAgain, growth, persistent, usual, varies } from './variation.ts'

/** Appended to the input. Each round has others, so that an agent with a cache does all of them. */
const BLANKS = 7
/** Runs alone that show what one with config does, of an agent that varies. */
const MOST_ALONE = 16

/** Runs that overlap must not affect each other. */
export function overlap(session: Session): Check[] {
  const { burst, bursts } = session.limits
  const atOnce = `for i in $(seq ${burst}); do ${session.curlFirst()} & done; wait`
  return [
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
    check('run.right_later', 'A task that is done right at first is done right later', async () => {
      const wrong = (await session.burst()).runs.filter(({ problems }) => problems.length > 0)
      for (const task of new Set(wrong.map(({ task }) => task))) {
        const first = await session.taskRun(session.tasks.indexOf(task))
        if (first.problems.length > 0) continue
        await expectNoneAgain(session, async () => {
          const later = await session.runTask(task)
          session.seen = [first.run, later.run]
          return [...failuresOf(later.run), ...later.problems]
        })
      }
    }),
    check('run.concurrent_config', `Of ${bursts * 6} runs, 6 at once, none gets another's config`, async () =>
      expectNone(await swaps(session)),
    ),
  ]
}

/** @throws OutOfSight if the agent accepted fewer than two */
function acceptedOf(runs: readonly TaskRun[]): readonly TaskRun[] {
  const others = runs.filter(({ run }) => !isBusy(run.exchange))
  if (others.length < 2)
    throw new OutOfSight(`of ${runs.length} concurrent runs the agent accepts ${others.length}`)
  return others
}

/** A model fails now and then, in one run of a hundred: so often in as many as two times all of these. */
const RARE = 2
const isFailed = ({ run }: Pick<Stray, 'run'>) => failuresOf(run).length > 0

/** Replies in a burst that belong to another of its runs, or are no longer right. */
async function mixUps(session: Session): Promise<string[]> {
  const { runs } = await session.burst()
  const strays = await straysIn(session, runs)
  const failed = strays.filter(isFailed).length
  if (failed > 0 && failed <= RARE) strays.push(...(await straysIn(session, await session.bursts())))
  const isRare = strays.filter(isFailed).length <= RARE
  const counted = isRare ? strays.filter(stray => !isFailed(stray)) : strays
  // A model may word an answer so that it is taken for wrong.
  return problemsOf(session, (await varies(session)) ? counted.filter(({ isCertain }) => isCertain) : counted)
}

async function straysIn(session: Session, runs: readonly TaskRun[]): Promise<Stray[]> {
  const accepted = acceptedOf(runs)
  const strays: Stray[] = []
  for (const { task, run, problems } of accepted) {
    const { task_id } = run.request
    const other = runs
      .map(one => one.run.request)
      .find(one => one.task_id !== task_id && run.exchange.body.includes(one.task_id))
    if (other !== undefined) {
      const problem = `expected the task_id ${task_id}, got that of another run, ${other.task_id}`
      strays.push({ run, problem, isCertain: true, other: other.task_id })
    } else if (problems.length > 0 && (await isSolved(session, task))) {
      const isAnswered = run.reply.status === 'success'
      const others = accepted.filter(other => other.task !== task)
      const isOthers = others.some(other => judge(other.task.expect, run.reply, run.when).length === 0)
      const [problem = problems.join('; ')] = failuresOf(run)
      strays.push({ run, problem, isCertain: !isAnswered || isOthers })
    }
  }
  return strays
}

/** Whether the agent does a task right, before and now. */
async function isSolved(session: Session, task: SampleTask): Promise<boolean> {
  const { problems } = await session.taskRun(session.tasks.indexOf(task))
  return problems.length === 0 && (await session.runTask(task)).problems.length === 0
}

/** Runs of the subject with one config, alone and beside others. */
interface Kind {
  readonly config: object | undefined
  /** Of its system prompt. */
  readonly mark: Marked | undefined
  readonly alone: TaskRun[]
  runs: TaskRun[]
}

/** How runs of one task with different configs differ, when several are in progress, from the same ones alone. */
async function swaps(session: Session): Promise<string[]> {
  const alone = [...(await usual(session, await session.once(subject)))]
  const plain: Kind = { config: undefined, mark: undefined, alone, runs: [] }
  const kinds: Kind[] = [plain]
  for (const { config, mark, first } of Object.values(configured(session)))
    kinds.push({ config, mark, alone: [await session.once(first)], runs: [] })
  // The last to arrive is one with config, then one without.
  const mixed = kinds.slice(1).flatMap(kind => [plain, kind])
  const { bursts } = session.limits
  await mix(session, mixed, 0, bursts)
  if (kinds.every(({ runs }) => runs.length === 0))
    throw new OutOfSight(`of ${mixed.length} concurrent runs the agent accepts 1 at most`)
  const failed = () =>
    kinds.flatMap(kind => kind.runs.filter(run => isFailed(run) && !kind.alone.some(isFailed)))
  if (failed().length > 0 && failed().length <= RARE) await mix(session, mixed, bursts, 2 * bursts)
  const rare = failed().length <= RARE ? failed() : []
  for (const kind of kinds) kind.runs = kind.runs.filter(run => !rare.includes(run))
  const strays: Stray[] = []
  for (const kind of kinds)
    strays.push(...mistaken(kind, kinds), ...uncut(kind), ...(await straysOf(session, kind)))
  const single = async () => await deviations(session, await variant(session, 5))
  if (strays.length > 0 && (await persistent(session, single)).length > 0)
    throw new NotRun('a single run fails too')
  return problemsOf(session, strays)
}

/** Makes one run of each kind at once, in each of these rounds. */
async function mix(session: Session, mixed: readonly Kind[], from: number, to: number): Promise<void> {
  for (let round = from; round < to; round += 1) {
    const order = round % 2 === 0 ? mixed : mixed.toReversed()
    const blanks = BLANKS + (round + 1) * BLANKS_A_TRY
    const runs = await session.asLoad(order, ({ config }) => variant(session, blanks, config))
    const isAccepted = runs.map(({ run }) => !isBusy(run.exchange))
    if (isAccepted.filter(Boolean).length < 2) continue
    for (const [index, kind] of order.entries()) if (isAccepted[index]) kind.runs.push(runs[index]!)
  }
}

/** Replies with a word of another kind's system prompt. */
function mistaken({ mark, runs }: Kind, kinds: readonly Kind[]): Stray[] {
  const others = kinds.filter(other => other.mark !== undefined && other.mark !== mark)
  return runs.flatMap(one =>
    others.flatMap(other =>
      promptLeaks(other.mark!, one).map(problem => ({
        ...{ run: one.run, problem, isCertain: true },
        other: other.runs.find(({ run }) => overlaps(run, one.run))?.run.request.task_id,
      })),
    ),
  )
}

/** Runs whose text is cut alone, and is not beside others. */
function uncut({ alone, runs }: Kind): Stray[] {
  if (alone.some(one => excess(one.run).length > 0)) return []
  return runs.flatMap(({ run }) => excess(run).map(problem => ({ run, problem, isCertain: true })))
}

/** Runs that differ from each of the same kind alone; of an agent that varies, only if all of them do. */
async function straysOf(session: Session, kind: Kind): Promise<Stray[]> {
  const isVaried = await varies(session)
  const found = () => kind.runs.map(run => strayOf(kind, run, isVaried)).filter(stray => stray !== undefined)
  const isSuspect = () => found().length > 0 && (!isVaried || found().length === kind.runs.length)
  // An agent may do the same task in more than one way.
  for (let most = isVaried ? MOST_ALONE : 2; isSuspect() && kind.alone.length < most; )
    kind.alone.push(await variant(session, BLANKS, kind.config))
  return isSuspect() ? found() : []
}

function strayOf({ alone, mark }: Kind, taskRun: TaskRun, isVaried: boolean): Stray | undefined {
  const isUnmarked = mark && alone.every(one => mentions(one, mark)) && !mentions(taskRun, mark)
  const leak =
    leakOf(alone, taskRun) ?? (isUnmarked ? `expected the word ${mark.word} of its system prompt` : undefined)
  const isRight = alone.every(({ problems }) => problems.length === 0)
  const [problem = leak] = isRight && !isVaried ? taskRun.problems : []
  if (problem === undefined) return undefined
  return { run: taskRun.run, problem: leak ?? problem, isCertain: leak !== undefined }
}

/** A run that is not, beside others, what it is alone. */
interface Stray {
  readonly run: CheckedRun
  readonly problem: string
  /** Whether only another run can be behind it; a model may also answer one task in many wrong. */
  readonly isCertain: boolean
  /** The task_id of the run that it shows something of, if that is known. */
  readonly other?: string | undefined
}

const overlaps = (one: CheckedRun, other: CheckedRun) =>
  one !== other && one.when.from <= other.when.to && other.when.from <= one.when.to

function problemsOf(session: Session, strays: readonly Stray[]): string[] {
  const counted = strays.length > 1 ? strays : strays.filter(({ isCertain }) => isCertain)
  const shown = counted.find(({ other }) => other !== undefined) ?? counted[0]
  const isOther = ({ request }: CheckedRun) => shown?.other === undefined || request.task_id === shown.other
  const other = session.runs.find(run => shown && overlaps(run, shown.run) && isOther(run))
  if (shown && other) {
    session.shows(other, shown.run)
    session.how = `for i in $(seq ${session.limits.bursts}); do ${session.curlOf(session.seen, ' & ')} & wait; done`
  }
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
