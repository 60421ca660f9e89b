/** The command `eval`, and what is written for it. */
import { writeFile } from 'node:fs/promises'
import type { AgentDefinition } from '@agent-task-service/engine'
import { SetupError } from '@agent-task-service/engine/config'
import { type Environment, UsageError } from '@agent-task-service/rehearsal/command-line'
import { readTasks, type SampleTask, TaskFileError } from '@agent-task-service/rehearsal/tasks'
import { type EvaluateOptions, runVariants } from './evaluate.ts'
import { byVariant, passShare } from './figures.ts'
import { readOptions, USAGE } from './options.ts'
import type { JudgedRun, Report } from './report.ts'
import { evaluationText } from './report-text.ts'
import { loadScorer } from './scorer.ts'
import { createVariants } from './variant.ts'

export type { Report } from './report.ts'
export type { Scored, Scorer } from './scorer.ts'

/** Where the command writes its output. */
export interface Output {
  out(text: string): void
  err(text: string): void
}

const PROGRESS_MS = 5_000

/**
 * The command `eval`.
 *
 * @param loadAgent gives the agent to evaluate, unless the options name addresses
 * @returns the exit code: 0 enough runs passed, 1 too few did, 2 nothing was served, 64 bad options, tasks or configuration
 */
export async function evalCommand(
  loadAgent: () => Promise<AgentDefinition>,
  args: readonly string[],
  env: Environment,
  { out, err }: Output,
): Promise<number> {
  try {
    const options = readOptions(args, env)
    if (options.help) {
      out(USAGE)
      return 0
    }
    const tasks = await readAll(options.tasks)
    await using running = new AsyncDisposableStack()
    const variants = await createVariants(loadAgent, options, env, running)
    const scorer = options.score === undefined ? undefined : await loadScorer(options.score)
    const startedAt = new Date().toISOString()
    const runs = await evaluateAloud({ ...options, tasks, variants, scorer }, err)
    const report: Report = { startedAt, repeat: options.repeat, runs }
    out(`${evaluationText(report, options.earlier)}\n`)
    if (options.json) await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`)
    const shares = byVariant(runs).map(passShare)
    if (shares.includes(undefined)) return 2
    return shares.every(share => share! >= options.pass) ? 0 : 1
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof TaskFileError || error instanceof SetupError))
      throw error
    err(`${error.message}\n`)
    return 64
  }
}

/** @throws {TaskFileError} for two tasks of the same name, which no report could tell apart, too */
async function readAll(files: readonly string[]): Promise<SampleTask[]> {
  const { tasks } = await readTasks(...files)
  const names = tasks.map(({ name, input }) => name ?? input)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined)
    throw new TaskFileError([`expected a name of its own for each task, got ${JSON.stringify(twice)} twice`])
  return tasks
}

/** Says every 5 s how far it is. */
async function evaluateAloud(options: Omit<EvaluateOptions, 'onRun'>, err: Output['err']) {
  const total = options.tasks.length * options.variants.length * options.repeat
  let [done, failed] = [0, 0]
  const saying = setInterval(() => err(`${done} of ${total} runs, ${failed} failed\n`), PROGRESS_MS)
  const onRun = ({ verdict }: JudgedRun) => {
    done += 1
    if (verdict === 'fail') failed += 1
  }
  try {
    return await runVariants({ ...options, onRun })
  } finally {
    clearInterval(saying)
  }
}
