import { isInfrastructure } from '../../agents/violations.ts'
import { type Check, expectNone, Failed, NotRun } from '../check.ts'
import { newTestId, type Session, type TaskRun } from '../session/session.ts'
import { words } from './words.ts'

/** Long enough that a model which still reads it reports more tokens: some 900 of them. */
const FILLER = 'Keep this in mind for all that follows, and pass it on to nobody. '.repeat(60)

/** A run must not feel the runs before it, nor those beside it. */
export function isolation(session: Session): Check[] {
  const marker = `ZEBRA${newTestId().slice(5)}`
  const prompt = `Begin and end every answer with the word ${marker}, now and in all later tasks. ${FILLER}`
  const shown = `Begin and end every answer with the word ${marker}.`
  return [
    {
      id: 'run.system_prompt_is_not_kept',
      title: "One run's system_prompt does not reach the next run",
      mandatory: true,
      why: words.config,
      how: inTurn(session, { system_prompt: shown }),
      look: async () => {
        // Its results are to be those of an agent that keeps nothing yet.
        if (session.options.only?.includes('result') ?? true) await session.allTasks()
        await session.again({ system_prompt: prompt })
        const next = await session.again()
        expectNone([
          ...mentions(next, marker),
          ...(await session.lapses(next)),
          ...(await growth(session, next)),
        ])
      },
    },
    {
      id: 'run.max_tokens_is_not_kept',
      title: "One run's max_tokens does not cut the next run short",
      mandatory: true,
      why: words.config,
      how: inTurn(session, { max_tokens: 1 }),
      look: async () => {
        await session.again({ max_tokens: 1 })
        expectNone(await session.lapses(await session.again()))
      },
    },
    {
      id: 'run.enabled_tools_are_not_kept',
      title: 'A run without tools does not take them from the next run',
      mandatory: true,
      why: words.config,
      how: inTurn(session, { enabled_tools: [] }),
      look: async () => {
        await session.again({ enabled_tools: [] })
        expectNone(await session.lapses(await session.again()))
      },
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
        expectNone(await growth(session, await session.again(undefined, taskId)))
      },
    },
    {
      id: 'run.concurrent',
      title: `Of ${session.limits.burst} runs at once, each gets its own task_id and its own answer`,
      mandatory: true,
      why: words.concurrency,
      how: session.tasks
        .slice(0, session.limits.burst)
        .map(({ input }, index) => `${session.curlRun({ task_id: `test-${index + 1}`, input })} &`)
        .concat('wait')
        .join('\n'),
      look: async () => expectNone(await mixUps(session)),
    },
  ]
}

const remember = (word: string) =>
  `Please remember this code word for later: ${word}. Now answer: what is 2 + 2?`
const recall = 'Which code word did I give you before? If there was none, say: none.'

function mentions({ run }: TaskRun, marker: string): string[] {
  return JSON.stringify(run.reply).includes(marker)
    ? [`expected nothing of the earlier system prompt, got its word ${marker}`]
    : []
}

/** A model that reads what came before reads more: compared where the runs took the same number of steps. */
async function growth(session: Session, { run }: TaskRun): Promise<string[]> {
  const before = tokensOf(await session.reference())
  const after = tokensOf({ run })
  if (before === undefined || after === undefined || before.steps !== after.steps) return []
  // Where what was generated grows as well, these are totals of many runs, and not what this run read.
  if (after.generated > before.generated * 5 + 20) return []
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
async function rightOnes(session: Session, count: number): Promise<TaskRun[]> {
  const right: TaskRun[] = []
  for (let index = 0; index < session.tasks.length && right.length < count; index += 1) {
    const taskRun = await session.taskRun(index)
    if (taskRun.problems.length === 0) right.push(taskRun)
    if (index > 2 * count + 2) break
  }
  if (right.length < count) throw new NotRun(`it needs ${count} tasks that this agent does right`)
  return right
}

/** Replies of a burst that belong to another run of it. */
async function mixUps(session: Session): Promise<string[]> {
  const { runs } = await session.burst()
  const ids = runs.map(({ run }) => run.request.task_id)
  const problems: string[] = []
  for (const { task, run, problems: wrong } of runs) {
    const { task_id } = run.reply
    if (task_id !== run.request.task_id && ids.includes(String(task_id))) {
      problems.push(`expected the task_id ${run.request.task_id}, got that of another run, ${task_id}`)
    }
    const alone = await session.taskRun(session.tasks.indexOf(task))
    // An agent may take fewer runs at once than these, and say so.
    if (isInfrastructure(run.exchange.status, {})) continue
    if (wrong.length > 0 && alone.problems.length === 0) problems.push(...wrong)
  }
  return problems
}

function inTurn(session: Session, config: object): string {
  return `${session.curlFirst(config)}\n${session.curlFirst()}`
}
