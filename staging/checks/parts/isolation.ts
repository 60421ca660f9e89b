import type { Check } from '../check.ts'
import { failuresOf, figuresOf, isBusy } from '../session/replies.ts'
import { newTestId, type Session, type TaskRun } from '../session/session.ts'
import { expectNone, Failed, NotRun, OutOfSight } from '../verdicts.ts'

/** Long enough to show in the token count of a model that still reads it: some 900 tokens. */
const FILLER = 'Keep this in mind for all that follows, and pass it on to nobody. '.repeat(60)
const CAPPED = { max_tokens: 1 }
const TOOLLESS = { enabled_tools: [] }

/** A run must not be affected by earlier or concurrent runs. */
export function isolation(session: Session): Check[] {
  const { burst } = session.limits
  const marker = `ZEBRA${newTestId().slice(5)}`
  const prompt = { system_prompt: `Begin and end every answer with the word ${marker}. ${FILLER}` }
  const prompted = () => variant(session, 8, prompt)
  const isNotKept = (name: string, title: string, first: Configured): Check => ({
    id: `run.${name}_not_kept`,
    title,
    look: async () => {
      const before = await session.once(subject)
      await session.once(first)
      const next = await session.runTask(before.task)
      const ofPrompt = first === prompted ? [...growth(before, next), ...mentions(next, marker)] : []
      expectNone([...(await session.lapses(next, before)), ...ofPrompt, ...cutSince(before, next)])
    },
  })
  const atOnce = `for i in $(seq ${burst}); do ${session.curlFirst()} & done; wait`
  return [
    isNotKept('system_prompt_is', "One run's system_prompt does not reach the next", prompted),
    isNotKept('max_tokens_is', "One run's max_tokens does not cut the next run short", capped),
    isNotKept('enabled_tools_are', 'A run without tools does not affect the next', withoutTools),
    {
      id: 'run.config_each',
      title: 'The same input with another config gets its own answer',
      look: async () => {
        const ofCap = await cached(session, 1, capped, CAPPED)
        expectNone([...ofCap, ...(await cached(session, 2, withoutTools, TOOLLESS))])
      },
    },
    {
      id: 'run.same_test_id',
      title: 'Another task under a used test-<n> gets its own answer, without the config of the first',
      look: async () => {
        const [first, second] = (await rightOnes(session, 2)) as [TaskRun, TaskRun]
        const taskId = newTestId()
        await session.runTask(first.task, taskId, { ...first.task.config, ...CAPPED })
        expectNone((await session.runTask(second.task, taskId)).problems)
      },
    },
    {
      id: 'run.no_memory',
      title: 'Later tasks do not know what an earlier one said, even under the same test-<n>',
      look: async () => {
        const taskId = newTestId()
        const word = `OKAPI${newTestId().slice(5)}`
        await session.run({ task_id: taskId, input: remember(word) })
        for (const id of [taskId, newTestId()]) {
          const { reply } = await session.run({ task_id: id, input: recall })
          const text = JSON.stringify(reply)
          if (text.includes(word)) throw new Failed(`expected no ${word}, got ${text.slice(0, 300)}`)
        }
        expectNone(growth(await session.reference(), await session.again(undefined, taskId)))
      },
    },
    {
      id: 'run.at_once',
      title: `${burst} concurrent runs are all accepted`,
      advisory: true,
      how: atOnce,
      look: async () => {
        const { runs } = await session.burst()
        const refused = runs.filter(({ run }) => isBusy(run.exchange)).length
        if (refused > 0) throw new Failed(`${refused} of ${runs.length} were refused with HTTP 429 or 503`)
      },
    },
    {
      id: 'run.concurrent',
      title: `Of ${burst} concurrent runs, none gets another's task_id or answer`,
      how: atOnce,
      look: async () => expectNone(await mixUps(session)),
    },
    {
      id: 'run.concurrent_config',
      title: "Of concurrent runs, none gets another's config",
      look: async () => expectNone(await swaps(session, [CAPPED, prompt, TOOLLESS])),
    },
  ]
}

const remember = (word: string) =>
  `Please remember this code word for later: ${word}. Now answer: what is 2 + 2?`
const recall = 'Which code word did I give you before? If there was none, say: none.'

type Configured = (session: Session) => Promise<TaskRun>

/** The correctly answered task with the longest answer, so that truncation shows. */
export async function subject(session: Session): Promise<TaskRun> {
  const reference = await session.reference()
  if (reference.problems.length > 0) return reference
  // Run all tasks first, before any other run could affect them.
  if (session.options.only?.includes('result') ?? true) await session.allTasks()
  const right = await rightOnes(session, 1, session.tasks.length)
  const length = ({ run }: TaskRun) => String(run.reply.output).length
  return right.reduce((longest, one) => (length(one) > length(longest) ? one : longest), reference)
}

export const capped = (session: Session) => variant(session, 1, CAPPED)
const withoutTools = (session: Session) => variant(session, 2, TOOLLESS)

/** @param blanks number of spaces to append to the input: a cache sees another input, a model the same one */
async function variant(session: Session, blanks: number, config?: object): Promise<TaskRun> {
  const { task } = await session.once(subject)
  const other = { ...task, input: `${task.input}${' '.repeat(blanks)}` }
  return await session.runTask(other, undefined, config && { ...task.config, ...config })
}

/** What is wrong with another run of the subject: judged no more strictly than the first, and by the tokens it read. */
async function deviations(session: Session, next: TaskRun): Promise<string[]> {
  const before = await session.once(subject)
  return [...(await session.lapses(next, before)), ...growth(before, next)]
}

const isDone = ({ run }: TaskRun) => run.reply.status === 'success'
const isWhole = (taskRun: TaskRun) =>
  isDone(taskRun) && Number(figuresOf(taskRun.run).output_tokens) > CAPPED.max_tokens

function cutSince(before: TaskRun, next: TaskRun): string[] {
  // A reply from a cache may cost nothing.
  if (next.run.reply.output === before.run.reply.output) return []
  if (!isWhole(before) || !isDone(next) || isWhole(next)) return []
  const [usual, got] = [before, next].map(one => figuresOf(one.run).output_tokens)
  return [`expected about ${usual} output tokens, as for the same task before, got ${got}`]
}

/** Answers cached from the same input with another config, or with none. */
async function cached(session: Session, blanks: number, first: Configured, config: object) {
  const hasEffect = !isWhole(await session.once(first))
  const wrong = await deviations(session, await variant(session, blanks))
  // If a new input fails too, a cache is not the cause.
  if (wrong.length > 0 && (await deviations(session, await variant(session, blanks + 4))).length === 0)
    return wrong.map(problem => `without the config of the run before: ${problem}`)
  if (!hasEffect || !isWhole(await session.once(plain)) || !isWhole(await variant(session, 3, config)))
    return []
  return [`expected ${JSON.stringify(config)} to apply as it does to a new input, got the answer without it`]
}

const plain = (session: Session) => variant(session, 3)

function mentions({ run }: TaskRun, marker: string): string[] {
  const isMentioned = JSON.stringify(run.reply).includes(marker)
  return isMentioned ? [`expected nothing of another run's system prompt, got its word ${marker}`] : []
}

/** A model that sees an earlier conversation reads more tokens; compared if both runs took the same number of steps. */
function growth(reference: TaskRun, next: TaskRun): string[] {
  const [before, after] = [figuresOf(reference.run), figuresOf(next.run)] as const
  if (before.steps !== after.steps) return []
  // If the generated tokens grow too, these are totals over many runs.
  if (!(Number(after.output_tokens) <= Number(before.output_tokens) * 1.2 + 5)) return []
  const [usual, got] = [Number(before.input_tokens), Number(after.input_tokens)]
  return got > usual * 1.2 + 100
    ? [`expected about ${usual} input tokens, as for the same task before, got ${got}`]
    : []
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

/** Replies in a burst that belong to another of its runs. */
async function mixUps(session: Session): Promise<string[]> {
  const { runs } = await session.burst()
  const ids = runs.map(({ run }) => run.request.task_id)
  const problems: string[] = []
  for (const { task, run, problems: wrong } of acceptedOf(runs)) {
    const { task_id } = run.reply
    if (task_id !== run.request.task_id && ids.includes(String(task_id))) {
      problems.push(`expected the task_id ${run.request.task_id}, got that of another run, ${task_id}`)
    }
    if (wrong.length > 0 && (await session.runTask(task)).problems.length === 0) {
      const [failure = wrong.join('; ')] = failuresOf(run)
      problems.push(`beside other runs: ${failure}; alone it succeeds`)
    }
  }
  return problems
}

/** Concurrent runs of the same task, every other one with a config: what leaks into the plain ones. */
async function swaps(session: Session, configs: readonly object[]): Promise<string[]> {
  const wasCut = !isWhole(await session.once(capped))
  if ((await deviations(session, await session.once(plain))).length > 0)
    throw new NotRun('a single run fails too')
  const mixed = configs.flatMap(config => [variant(session, 7), variant(session, 7, config)])
  const runs = acceptedOf(await Promise.all(mixed))
  const isPlain = ({ run, task }: TaskRun) =>
    JSON.stringify(run.request.config) === JSON.stringify(task.config)
  const leaked = await Promise.all(runs.filter(isPlain).map(run => deviations(session, run)))
  const uncut = runs.filter(one => !isPlain(one) && one.run.request.config?.max_tokens === 1 && isWhole(one))
  const isLost = wasCut && uncut.length > 0
  return [
    ...leaked.flat(),
    ...(isLost ? ['expected max_tokens 1 to apply as it does to a single run, got the whole answer'] : []),
  ]
}
