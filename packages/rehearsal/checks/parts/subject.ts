import { randomNumber } from '../../secrets.ts'
import type { SampleTask } from '../../tasks/task.ts'
import type { Session, TaskRun } from '../session/session.ts'
import { NotRun, OutOfSight } from '../verdicts.ts'
import { growth, usual } from './variation.ts'

/** No calculator and no clock can do this. */
export const IMPOSSIBLE = 'What is 1 / 0? What time is it in Atlantis?'
/** The least that an answer may have. */
export const CAPPED = { max_tokens: 1 }
export const TOOLLESS = { enabled_tools: [] }
/** Long enough to show in the token count of a model that still reads it: some 900 tokens. */
export const FILLER = 'Keep this in mind for all that follows, and pass it on to nobody. '.repeat(60)

export type Marked = ReturnType<typeof markedPrompt>

/** A system prompt whose word shows, in the answers of an agent that obeys, which run it was given to. */
export function markedPrompt(name: string, more = '') {
  const word = `${name}${randomNumber()}`
  return { word, config: { system_prompt: `Begin and end every answer with the word ${word}. ${more}` } }
}

/** Whether a word of another run's system prompt is in a reply. */
export function mentions({ run }: Pick<TaskRun, 'run'>, { word }: Marked): boolean {
  return run.exchange.body.includes(word)
}

/** What is wrong with a reply that has one. */
export function promptLeaks(prompt: Marked, next: Pick<TaskRun, 'run'>): string[] {
  return mentions(next, prompt)
    ? [`expected nothing of another run's system prompt, got its word ${prompt.word}`]
    : []
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

/** The reference after another task, whose metrics it would have if they came a run late. */
export async function inTurn(session: Session): Promise<TaskRun> {
  await session.runTask((await session.once(subject)).task)
  return await session.again()
}

/** The reference without tools. */
export const toolless = (session: Session) => session.again(TOOLLESS)

/** @param blanks number of spaces to append to the input: a cache sees another input, a model the same one */
export async function variant(session: Session, blanks: number, config?: object): Promise<TaskRun> {
  const { task } = await session.once(subject)
  return await session.runTask(withBlanks(task, blanks), undefined, config && { ...task.config, ...config })
}

export function withBlanks(task: SampleTask, blanks: number): SampleTask {
  return { ...task, input: `${task.input}${' '.repeat(blanks)}` }
}

/** What is wrong with another run of the subject: judged no more strictly than the first, and by the tokens it read. */
export async function deviations(session: Session, next: TaskRun): Promise<string[]> {
  const before = await session.once(subject)
  return [...(await session.lapses(next, before)), ...growth(await usual(session, before), next)]
}

/** Tasks of the file that this agent solves. */
export async function rightOnes(session: Session, least: number, most = least): Promise<TaskRun[]> {
  if (session.tasks.length < least) throw new OutOfSight(`needs ${least} tasks`)
  const right: TaskRun[] = []
  for (let index = 0; index < session.tasks.length && right.length < most; index += 1) {
    if (right.length < least && index > 2 * least + 2) break
    const taskRun = await session.taskRun(index)
    if (taskRun.problems.length === 0) right.push(taskRun)
  }
  if (right.length < least) throw new NotRun(`needs ${least} tasks that this agent solves`)
  return right
}
