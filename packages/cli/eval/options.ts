import { accessSync, constants, readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { CommandLine, type Environment, optionsText } from '@agent-task-service/rehearsal/command-line'
import { LANGUAGE_TASKS, SHIPPED_TASKS } from '@agent-task-service/rehearsal/tasks'
import { parseJson } from '@agent-task-service/wire/untrusted'
import { type Report, report } from './report.ts'

export type EvaluationOptions = ReturnType<typeof readOptions>

const SHIPPED = [SHIPPED_TASKS, LANGUAGE_TASKS].map(path => relative('', path))

const OPTIONS = {
  '--model NAME': "a model for this project's agent; repeat to compare",
  '--url URL': 'an agent over HTTP: http://localhost:8080; repeat to compare',
  '--prompt FILE': "a system prompt for the agent's own; repeat to compare",
  '--token-env NAME': "variable that holds the agents' bearer token",
  '--repeat N': 'how often to run each task (3)',
  '--concurrency N': 'concurrent runs (4)',
  '--pass PERCENT': 'percentage of served runs that must pass (100)',
  '--score FILE': 'a scorer of your own: see docs/guides/evaluation.md',
  '--against FILE': 'an earlier report of --json to compare with',
  '--json FILE': 'write a report for programs',
}

export const USAGE = `npm run eval -- [TASKS...] [OPTION...]

Runs each task several times and compares its answers with what is expected: models, prompts or agents.

  TASKS             task files, YAML or JSON (${SHIPPED.join(' ')})
${optionsText(OPTIONS)}

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
  const line = new CommandLine(args, OPTIONS)
  const [urls, models, prompts] = [line.all('url'), line.all('model'), line.all('prompt')]
  for (const url of urls) line.address('--url', url)
  const isEither = urls.length === 0 || models.length === 0
  line.expect(isEither, '--model: cannot be combined with --url; an agent over HTTP has its own model')
  for (const [name, values] of Object.entries({ url: urls, model: models, prompt: prompts })) {
    const twice = values.find((value, index) => values.indexOf(value) < index)
    line.expect(twice === undefined, `--${name}: expected each once, got ${JSON.stringify(twice)} twice`)
  }
  const [json, against] = [line.one('json'), line.one('against')]
  if (json !== undefined) {
    // Checked before the tasks run, since they may take an hour and cost money.
    const problem = `--json: expected a file in a writable folder, got ${JSON.stringify(json)}`
    attempt(line, problem, () => accessSync(dirname(json), constants.W_OK))
  }
  const options = {
    help: line.has('help'),
    tasks: line.words.length > 0 ? line.words : SHIPPED,
    urls,
    token: line.token(env),
    models,
    prompts: prompts.map(file => ({ name: file, text: textIn(line, '--prompt', file)?.trim() ?? '' })),
    repeat: line.wholeNumber('repeat', [1, 1000], 3),
    concurrency: line.wholeNumber('concurrency', [1, 1000], 4),
    pass: line.wholeNumber('pass', [0, 100], 100) / 100,
    score: line.one('score'),
    json,
    earlier: against === undefined ? undefined : reportIn(line, against),
  }
  line.end()
  return options
}

function textIn(line: CommandLine, option: string, file: string): string | undefined {
  const problem = `${option}: expected a readable file, got ${JSON.stringify(file)}`
  return attempt(line, problem, () => readFileSync(file, 'utf8'))
}

function reportIn(line: CommandLine, file: string): Report | undefined {
  const text = textIn(line, '--against', file)
  if (text === undefined) return undefined
  const { data, error } = report.safeParse(parseJson(text))
  const where = error?.issues[0]?.path.join('.')
  const wrong = where ? `where ${where} is missing or wrong` : 'which holds no JSON object'
  const problem = `expected a report that --json wrote, got ${JSON.stringify(file)}, ${wrong}`
  line.expect(error === undefined, `--against: ${problem}`)
  return data
}

/** The action's result; if it fails, the problem is reported with the error's code. */
function attempt<Result>(line: CommandLine, problem: string, action: () => Result): Result | undefined {
  try {
    return action()
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    line.expect(false, `${problem} (${code})`)
    return undefined
  }
}
