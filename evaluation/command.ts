import { writeFile } from 'node:fs/promises'
import { ConfigError } from '../src/config.ts'
import { UsageError } from '../staging/command-line.ts'
import { readTasks, TaskFileError } from '../staging/tasks/read-tasks.ts'
import { evaluate } from './evaluate.ts'
import { readOptions, USAGE } from './options.ts'
import { createProgress } from './progress.ts'
import { createReport } from './report.ts'
import { toHtml } from './report-html.ts'
import { toText } from './report-text.ts'
import { loadScorer } from './scorer.ts'
import { createVariants } from './variant.ts'

/** Where the command writes its output. */
export interface Output {
  out(text: string): void
  err(text: string): void
}

/**
 * Runs `npm run eval`.
 *
 * @returns the exit code: 0 enough runs passed, 1 too few did, 2 nothing was served, 64 bad options, tasks or configuration
 */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { out, err }: Output,
): Promise<number> {
  try {
    const options = readOptions(args, env)
    if (options.help) {
      out(USAGE)
      return 0
    }
    const files = await Promise.all(options.tasks.map(readTasks))
    const tasks = files.flatMap(file => file.tasks)
    const variants = await createVariants(options, env)
    const score = options.score === undefined ? undefined : await loadScorer(options.score)
    const startedAt = new Date()
    const onTrial = createProgress(err, tasks.length * variants.length * options.repeat, trial => {
      const task = tasks[trial.task]!
      return `${task.name ?? task.input} (${variants[trial.variant]!.name})`
    })
    const trials = await evaluate({ ...options, tasks, variants, score, onTrial })
    const report = createReport(startedAt, options.repeat, tasks, variants, trials)
    out(`${toText(report, options.earlier)}\n`)
    if (options.html) await writeFile(options.html, await toHtml(report, options.earlier))
    if (options.json) await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`)
    const shares = report.summaries.map(({ passShare }) => passShare)
    if (shares.includes(null)) return 2
    return shares.every(share => (share ?? 0) >= options.pass) ? 0 : 1
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof TaskFileError || error instanceof ConfigError))
      throw error
    err(`${error.message}\n`)
    return 64
  }
}

if (import.meta.main) {
  const exitCode = await runCommand(process.argv.slice(2), process.env, {
    out: text => process.stdout.write(text),
    err: text => process.stderr.write(text),
  })
  // An agent's connections to MCP servers would keep the process alive.
  process.exit(exitCode)
}
