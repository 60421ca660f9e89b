import { failuresOf, figuresOf } from '../session/replies.ts'
import type { Session, TaskRun } from '../session/session.ts'
import { expectNone } from '../verdicts.ts'

/** Tries of an agent that does the same task in the same way each time: a second failure of these counts. */
const TRIES = 3
/** Tries of one that varies, as language models do. What it does by chance, it does not do each time. */
const TRIES_IF_VARIED = 9
/** Runs of one task that show how much such an agent varies. */
const SPREAD = 8
/** More runs of one task that show whether it varies at all. */
const MORE_RUNS = 4

/** Whether this agent does one task at another cost each time. Asked for first, before anything could affect it. */
export const varies = (session: Session): Promise<boolean> => session.once(seenToVary)

/** More runs of the reference, at once if it is slow. */
export const repeats = async (session: Session) =>
  await several(session, MORE_RUNS, await session.reference())

async function seenToVary(session: Session): Promise<boolean> {
  const runs = [await session.reference(), ...(await session.once(repeats))]
  const figures = runs.map(({ run }) => figuresOf(run))
  // An answer from a cache costs nothing.
  const costs = figures.filter(({ steps }) => Number(steps) > 0)
  return (
    new Set(
      costs.map(({ steps, input_tokens, output_tokens }) => `${steps} ${input_tokens} ${output_tokens}`),
    ).size > 1
  )
}

/** Runs of one task, as many of them at once as may be. */
async function several(session: Session, count: number, { task }: TaskRun): Promise<readonly TaskRun[]> {
  const run = () => session.patiently(() => session.runTask(task))
  return await session.together(Array.from({ length: count }, () => () => run()))
}

/** Fails if something is wrong, again and again; see `persistent`. */
export async function expectNoneAgain(...given: Parameters<typeof persistent>): Promise<void> {
  expectNone(await persistent(...given))
}

/**
 * What is wrong again.
 *
 * @param attempt makes what may go wrong anew each time, with what is to be its cause; gets the number of earlier tries
 */
export async function persistent(
  session: Session,
  attempt: (tries: number) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const isVaried = await varies(session)
  let problems = await attempt(0)
  if (problems.length === 0) return []
  for (let tries = 1; tries < (isVaried ? TRIES_IF_VARIED : TRIES); tries += 1) {
    problems = await attempt(tries)
    const isWrong = problems.length > 0
    if (isWrong !== isVaried) return problems
  }
  return isVaried ? problems : []
}

/**
 * Runs the reference again, after something that must not change how well it is done.
 *
 * @param cause does it, and returns what went wrong with it
 *
 * @throws Failed if it is done worse, again and again
 */
export async function expectAgain(
  session: Session,
  cause: () => Promise<readonly string[]> = async () => [],
): Promise<void> {
  await expectNoneAgain(session, async () => {
    const problems = await cause()
    const again = await session.patiently(() => session.again())
    return [...problems, ...failuresOf(again.run), ...(await session.lapses(again))]
  })
}

const usualRuns = new WeakMap<TaskRun, Promise<readonly TaskRun[]>>()

/** A run, and others of its task, if this agent varies: to be asked for before anything could affect them. */
export async function usual(session: Session, first: TaskRun): Promise<readonly TaskRun[]> {
  const known = usualRuns.get(first) ?? moreLike(session, first)
  usualRuns.set(first, known)
  return await known
}

async function moreLike(session: Session, first: TaskRun): Promise<readonly TaskRun[]> {
  return (await varies(session)) ? [first, ...(await several(session, SPREAD - 1, first))] : [first]
}

/** A model that sees an earlier conversation reads more tokens than in each of these runs, for as many steps. */
export function growth(usual: readonly Pick<TaskRun, 'run'>[], next: Pick<TaskRun, 'run'>): string[] {
  const after = figuresOf(next.run)
  const all = usual.map(({ run }) => figuresOf(run))
  const longer = all.filter(({ steps }) => Number(steps) >= Number(after.steps))
  const same = longer.length > 0 ? longer : all
  const most = (name: string) => Math.max(...same.map(figures => Number(figures[name])))
  // Each step reads once more, and what the steps before it wrote.
  const scale = Math.max(1, Number(after.steps) / most('steps')) ** 2
  const [read, written] = [Math.round(most('input_tokens') * scale), most('output_tokens') * scale]
  const [got, gotWritten] = [Number(after.input_tokens), Number(after.output_tokens)]
  if (!(got > read * 1.2 + 100)) return []
  // If the generated tokens grow as much, these are totals over many runs.
  const areTotals = gotWritten > written * 1.2 + 5 && gotWritten / written > got / read / 2
  return areTotals ? [] : [`expected about ${read} input tokens, as for the same task before, got ${got}`]
}
