import { type Check, expectNone, Failed, NotRun, OutOfSight } from '../check.ts'
import { newTestId, type Session, type TaskRun } from '../session/session.ts'
import { words } from './words.ts'

/** Long enough that a model which still reads it reports more tokens: some 900 of them. */
const FILLER = 'Keep this in mind for all that follows, and pass it on to nobody. '.repeat(60)
const CAPPED = { max_tokens: 1 }
const WITHOUT_TOOLS = { enabled_tools: [] }
const BUSY: readonly (number | null)[] = [429, 503]

/** A run must not feel the runs before it, nor those beside it. */
export function isolation(session: Session): Check[] {
  const { burst } = session.limits
  const marker = `ZEBRA${newTestId().slice(5)}`
  const prompt = `Begin and end every answer with the word ${marker}, now and in all later tasks. ${FILLER}`
  const shown = `Begin and end every answer with the word ${marker}.`
  const isKept = (name: string, title: string, first: Configured, config: object): Check => ({
    id: `run.${name}`,
    title,
    mandatory: true,
    why: words.config,
    how: inTurn(session, config),
    look: async () => {
      const { task, run } = await session.once(subject)
      await session.once(first)
      const next = await session.runTask(task)
      expectNone([
        ...(await lapses(session, next)),
        ...(isCut(next) && !isCut({ run }) ? [tokensCut(next)] : []),
      ])
    },
  })
  const atOnce = session.tasks
    .slice(0, burst)
    .map(({ input }, index) => `${session.curlRun({ task_id: `test-${index + 1}`, input })} &`)
    .concat('wait')
    .join('\n')
  return [
    {
      id: 'run.system_prompt_is_not_kept',
      title: "One run's system_prompt does not reach the next run",
      mandatory: true,
      why: words.config,
      how: inTurn(session, { system_prompt: shown }),
      look: async () => {
        const { task } = await session.once(subject)
        await session.runTask(task, undefined, { system_prompt: prompt })
        const next = await session.runTask(task)
        expectNone([
          ...mentions(next, marker),
          ...(await lapses(session, next)),
          ...growth(await session.once(subject), next),
        ])
      },
    },
    isKept('max_tokens_is_not_kept', "One run's max_tokens does not cut the next run short", capped, CAPPED),
    isKept(
      'enabled_tools_are_not_kept',
      'A run without tools does not take them from the next run',
      withoutTools,
      WITHOUT_TOOLS,
    ),
    {
      id: 'run.config_each',
      title: 'The same input under another config gets an answer of its own',
      mandatory: true,
      why: words.config,
      how: inTurn(session, CAPPED),
      look: async () => expectNone(await cached(session)),
    },
    {
      id: 'run.same_test_id',
      title: 'Another task under a test-<n> that was used before gets an answer of its own',
      mandatory: true,
      why: words.runResponse,
      how: session.tasks
        .slice(0, 2)
        .map(({ input }) => session.curlRun({ task_id: 'test-1', input }))
        .join('\n'),
      look: async () => {
        const [first, second] = (await rightOnes(session, 2)) as [TaskRun, TaskRun]
        const taskId = newTestId()
        await session.runTask(first.task, taskId)
        expectNone((await session.runTask(second.task, taskId)).problems)
      },
    },
    {
      id: 'run.no_memory',
      title: 'What one task says is unknown to later tasks, also under the same test-<n>',
      mandatory: true,
      why: words.config,
      how: [remember(marker), recall].map(input => session.curlRun({ task_id: 'test-1', input })).join('\n'),
      look: async () => {
        const taskId = newTestId()
        const word = `OKAPI${newTestId().slice(5)}`
        await session.run({ task_id: taskId, input: remember(word) })
        for (const id of [taskId, newTestId()]) {
          const { reply, request } = await session.run({ task_id: id, input: recall })
          const told = JSON.stringify(reply)
          if (told.includes(word)) {
            throw new Failed(`expected no ${word}, got ${told.slice(0, 300)}`, session.curlRun(request))
          }
        }
        expectNone(growth(await session.reference(), await session.again(undefined, taskId)))
      },
    },
    {
      id: 'run.at_once',
      title: `Of ${burst} runs at once, each is taken`,
      mandatory: false,
      why: words.concurrency,
      how: atOnce,
      look: async () => {
        const { runs } = await session.burst()
        const refused = runs.filter(({ run }) => BUSY.includes(run.exchange.status)).length
        if (refused > 0) throw new Failed(`${refused} of ${runs.length} were refused with HTTP 429 or 503`)
      },
    },
    {
      id: 'run.concurrent',
      title: `Of ${burst} runs at once, none gets the task_id or the answer of another`,
      mandatory: true,
      why: words.concurrency,
      how: atOnce,
      look: async () => expectNone(await mixUps(session)),
    },
    {
      id: 'run.concurrent_config',
      title: 'Of runs at once, none gets the config of another',
      mandatory: true,
      why: words.config,
      how: [undefined, CAPPED].map(config => `${session.curlFirst(config)} &`).join(' '),
      look: async () => expectNone(await swaps(session, prompt)),
    },
  ]
}

const remember = (word: string) =>
  `Please remember this code word for later: ${word}. Now answer: what is 2 + 2?`
const recall = 'Which code word did I give you before? If there was none, say: none.'

type Configured = (session: Session) => Promise<TaskRun>

/** Of the tasks that are done right the one with the longest answer: what is cut short then shows. */
async function subject(session: Session): Promise<TaskRun> {
  const reference = await session.reference()
  if (reference.problems.length > 0) return reference
  // Whatever is judged by them: the results are to be those of an agent that keeps nothing yet.
  if (session.options.only?.includes('result') ?? true) await session.allTasks()
  const right = await rightOnes(session, 1, session.tasks.length)
  const length = ({ run }: TaskRun) => String(run.reply.output).length
  return right.reduce((longest, one) => (length(one) > length(longest) ? one : longest), reference)
}

const capped = (session: Session) => variant(session, 1, CAPPED)
const withoutTools = (session: Session) => variant(session, 2, WITHOUT_TOOLS)

/** @param blanks after the input, which make it one that was not seen before, and the same to whoever reads it */
async function variant(session: Session, blanks: number, config?: object): Promise<TaskRun> {
  const { task } = await session.once(subject)
  const other = { ...task, input: `${task.input}${' '.repeat(blanks)}` }
  return await session.runTask(other, undefined, config && { ...task.config, ...config })
}

/** What is wrong with another run of the subject: judged as strictly as that came out. */
async function lapses(session: Session, next: TaskRun): Promise<readonly string[]> {
  return await session.lapses(next, await session.once(subject))
}

function isCut({ run: { reply } }: Pick<TaskRun, 'run'>): boolean {
  return reply.status === 'success' && Number(Object(reply.metrics).output_tokens) <= CAPPED.max_tokens
}

function tokensCut({ run }: TaskRun): string {
  return `expected as many output tokens as before, got ${Object(run.reply.metrics).output_tokens}`
}

/** Answers that came of the same input under another config. */
async function cached(session: Session): Promise<string[]> {
  const problems: string[] = []
  for (const [blanks, first] of [
    [1, capped],
    [2, withoutTools],
  ] as const) {
    await session.once(first)
    const wrong = await lapses(session, await variant(session, blanks))
    // What a new input gets as well has another cause.
    if (wrong.length > 0 && (await lapses(session, await variant(session, blanks + 4))).length === 0) {
      problems.push(...wrong.map(problem => `without the config of the run before: ${problem}`))
    }
  }
  const plain = await variant(session, 3)
  if (plain.run.reply.status !== 'success') return problems
  const isWhole = (taskRun: TaskRun) => taskRun.run.reply.status === 'success' && !isCut(taskRun)
  for (const [first, config] of [
    [capped, CAPPED],
    [withoutTools, WITHOUT_TOOLS],
  ] as const) {
    const isFelt = !isWhole(await session.once(first))
    if (isFelt && isWhole(plain) && isWhole(await variant(session, 3, config))) {
      problems.push(
        `expected ${JSON.stringify(config)} to count as for an input that is new, got the answer without it`,
      )
    }
  }
  return problems
}

function mentions({ run }: TaskRun, marker: string): string[] {
  return JSON.stringify(run.reply).includes(marker)
    ? [`expected nothing of another run's system prompt, got its word ${marker}`]
    : []
}

/** A model that reads what came before reads more: compared where the runs took the same number of steps. */
function growth(reference: TaskRun, { run }: TaskRun): string[] {
  const before = tokensOf(reference)
  const after = tokensOf({ run })
  if (before === undefined || after === undefined || before.steps !== after.steps) return []
  // Where what was generated grows as well, these are totals of many runs, and not what this run read.
  if (after.generated > before.generated * 1.2 + 5) return []
  const allowed = before.tokens * 1.2 + 100
  return after.tokens <= allowed
    ? []
    : [`expected about ${before.tokens} input tokens, as for the same task before, got ${after.tokens}`]
}

function tokensOf({ run }: Pick<TaskRun, 'run'>) {
  const { input_tokens, output_tokens, steps } = (run.reply.metrics ?? {}) as Record<string, unknown>
  if (typeof input_tokens !== 'number') return undefined
  return { tokens: input_tokens, generated: Number(output_tokens), steps }
}

/** Tasks of the file that this agent does right. */
async function rightOnes(session: Session, least: number, most = least): Promise<TaskRun[]> {
  const right: TaskRun[] = []
  for (let index = 0; index < session.tasks.length && right.length < most; index += 1) {
    if (right.length < least && index > 2 * least + 2) break
    const taskRun = await session.taskRun(index)
    if (taskRun.problems.length === 0) right.push(taskRun)
  }
  if (right.length < least) throw new NotRun(`it needs ${least} tasks that this agent does right`)
  return right
}

/** Replies of a burst that belong to another run of it. */
async function mixUps(session: Session): Promise<string[]> {
  const { runs } = await session.burst()
  const ids = runs.map(({ run }) => run.request.task_id)
  const problems: string[] = []
  const taken = runs.filter(({ run }) => !BUSY.includes(run.exchange.status))
  if (taken.length < 2) throw new OutOfSight(`of ${runs.length} runs at once the agent takes ${taken.length}`)
  for (const { task, run, problems: wrong } of taken) {
    const { task_id } = run.reply
    if (task_id !== run.request.task_id && ids.includes(String(task_id))) {
      problems.push(`expected the task_id ${run.request.task_id}, got that of another run, ${task_id}`)
    }
    const alone = await session.taskRun(session.tasks.indexOf(task))
    if (wrong.length > 0 && alone.problems.length === 0) problems.push(...wrong)
  }
  return problems
}

/** Runs of the same task at once, every other one configured: what the plain ones have of the others. */
async function swaps(session: Session, prompt: string): Promise<string[]> {
  const before = await session.once(subject)
  const wasCut = isCut(await session.once(capped))
  const alone = await variant(session, 4)
  if ([...(await lapses(session, alone)), ...growth(before, alone)].length > 0)
    throw new NotRun('a run alone is no better')
  const configs = [undefined, CAPPED, undefined, { system_prompt: prompt }, undefined, WITHOUT_TOOLS]
  const runs = await Promise.all(
    configs.map(async config => ({ config, taskRun: await variant(session, 7, config) })),
  )
  const taken = runs.filter(({ taskRun }) => !BUSY.includes(taskRun.run.exchange.status))
  if (taken.length < 2) throw new OutOfSight(`of ${runs.length} runs at once the agent takes ${taken.length}`)
  const problems: string[] = []
  for (const { config, taskRun } of taken) {
    if (config === undefined) problems.push(...(await lapses(session, taskRun)), ...growth(before, taskRun))
    const isUncut = taskRun.run.reply.status === 'success' && !isCut(taskRun)
    if (config === CAPPED && wasCut && isUncut) {
      problems.push('expected max_tokens 1 to count, as it does for a run alone, got the whole answer')
    }
  }
  return problems
}

function inTurn(session: Session, config: object): string {
  return `${session.curlFirst(config)}\n${session.curlFirst()}`
}
