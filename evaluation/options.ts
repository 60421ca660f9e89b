import { accessSync, constants, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandLine, type Environment, type OptionRow, optionsText } from '../staging/command-line.ts'
import { objectIn } from '../staging/json.ts'
import type { Report } from './report.ts'

export type Options = ReturnType<typeof readOptions>

const SHIPPED = ['staging/tasks/tasks.yaml', 'staging/tasks/language.yaml']

const ROWS: readonly OptionRow[] = [
  {
    option: '--model NAME',
    meaning: "a model for this project's agent, in this process; repeat to compare",
    many: true,
  },
  {
    option: '--url URL',
    meaning: 'an agent over HTTP instead, such as http://localhost:8080; repeat to compare',
    many: true,
  },
  {
    option: '--prompt FILE',
    meaning: "a system prompt instead of the agent's own; repeat to compare",
    many: true,
  },
  { option: '--token-env NAME', meaning: "variable that holds the agents' bearer token" },
  { option: '--repeat N', meaning: 'how often to run each task (3)' },
  { option: '--concurrency N', meaning: 'concurrent runs (4)' },
  { option: '--pass PERCENT', meaning: 'percentage of served runs that must pass (100)' },
  { option: '--score FILE', meaning: 'a scorer of your own: see docs/evaluation.md' },
  { option: '--against FILE', meaning: 'an earlier report of --json to compare with' },
  { option: '--html FILE', meaning: 'write a report as a web page' },
  { option: '--json FILE', meaning: 'write a report for programs' },
]

export const USAGE = `npm run eval -- [TASKS...] [OPTION...]

Runs each task several times and compares its answers with what is expected: models, prompts or agents.

  TASKS             task files, YAML or JSON (${SHIPPED.join(' ')})
${optionsText(ROWS)}

The agent in this process is configured as for npm start, by the environment or .env.
Exit code: 0 enough runs passed; 1 too few did; 2 nothing was served; 64 bad options, or an agent does not answer.
`

/**
 * Reads the options.
 *
 * @param args the arguments after the program's name
 * @throws {UsageError} listing every problem
 */
export function readOptions(args: readonly string[], env: Environment) {
  const line = new CommandLine(args, ROWS)
  const [urls, models, prompts] = [line.all('url'), line.all('model'), line.all('prompt')]
  for (const url of urls) line.address('--url', url)
  const isEither = urls.length === 0 || models.length === 0
  line.expect(isEither, '--model: cannot be combined with --url; an agent over HTTP has its own model')
  for (const [name, given] of Object.entries({ url: urls, model: models, prompt: prompts })) {
    const twice = given.find((value, index) => given.indexOf(value) < index)
    line.expect(twice === undefined, `--${name}: expected each once, got ${JSON.stringify(twice)} twice`)
  }
  const [html, json] = [line.one('html'), line.one('json')]
  // Checked before the tasks run, since they may take an hour and cost money.
  for (const [name, file] of Object.entries({ html, json })) {
    const check = () => file && accessSync(dirname(file), constants.W_OK)
    attempt(check, `--${name}: expected a file in a writable folder, got ${JSON.stringify(file)}`, line)
  }
  const against = line.one('against')
  const readReport = (file: string) => {
    const problem = `--against: expected a report that --json wrote, got ${JSON.stringify(file)}`
    const report = objectIn(
      attempt(() => readFileSync(file, 'utf8'), problem, line) ?? '{"tasks":[],"summaries":[]}',
    )
    line.expect(Array.isArray(report.tasks) && Array.isArray(report.summaries), problem)
    return report as unknown as Report
  }
  const readPrompt = (file: string) => {
    const problem = `--prompt: expected a readable file, got ${JSON.stringify(file)}`
    return { name: file, text: attempt(() => readFileSync(file, 'utf8'), problem, line)?.trim() ?? '' }
  }
  const options = {
    help: line.has('help'),
    tasks: line.words.length > 0 ? line.words : SHIPPED,
    urls,
    token: line.token('--token-env', line.one('token-env'), env),
    models,
    prompts: prompts.map(readPrompt),
    repeat: line.wholeNumber('repeat', [1, 1000], 3),
    concurrency: line.wholeNumber('concurrency', [1, 1000], 4),
    pass: line.wholeNumber('pass', [0, 100], 100) / 100,
    score: line.one('score'),
    html,
    json,
    earlier: against === undefined ? undefined : readReport(against),
  }
  line.end()
  return options
}

/** The action's result; if it fails, the problem is reported with the error's code. */
function attempt<Result>(action: () => Result, problem: string, line: CommandLine): Result | undefined {
  try {
    return action()
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    line.expect(false, `${problem} (${code})`)
    return undefined
  }
}
