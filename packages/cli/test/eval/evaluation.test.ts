import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { evalCommand, type Report, type Scorer } from '@agent-task-service/cli/eval'
import { defineAgent } from '@agent-task-service/engine'
import { agent as shipped } from '@agent-task-service/test-support/agent/test-agent'
import { startBackend } from '@agent-task-service/test-support/backend'
import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { evaluate as langSmith } from 'langsmith/evaluation'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { costText } from '../../eval/figures.ts'
import { problemsBy } from '../../eval/scorer.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evaluation-'))
})
afterAll(async () => await rm(folder, { recursive: true }))

/** Runs the command; `report` is what `--json` wrote. */
async function evaluation(args: readonly string[], env: Record<string, string> = {}) {
  const json = join(folder, `${crypto.randomUUID()}.json`)
  let out = ''
  let err = ''
  const write = {
    out(text: string) {
      out += text
    },
    err(text: string) {
      err += text
    },
  }
  const code = await evalCommand(async () => shipped, [...args, '--json', json], env, write)
  const report = await readFile(json, 'utf8').then(
    text => JSON.parse(text) as Report,
    () => undefined,
  )
  return { code, out, err, report: report as Report }
}

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}-${name}`)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const hello = { name: 'hello', input: 'Say hello.', expect: { contains: 'hello' } }

/** A table's cells by the names of its rows. */
function figuresIn(out: string): Record<string, string[]> {
  const rows = out.split('\n\n')[0]!.split('\n').slice(2)
  return Object.fromEntries(rows.map(row => row.split(/ {2,}/)).map(([name, ...cells]) => [name, cells]))
}

test('the offline model passes everything it claims to serve; the rest is not served', async () => {
  const { code, out, report } = await evaluation(['--repeat', '1'])
  expect(code).toBe(0)
  const verdicts = report.runs.map(({ verdict }) => verdict)
  expect(verdicts).toEqual([...Array(32).fill('pass'), ...Array(6).fill('not_served')])
  expect(report.runs.every(({ variant }) => variant === 'offline')).toBe(true)
  expect(figuresIn(out)).toMatchObject({ pass: ['100 % (32 of 32)'], 'not served (runs)': ['6'] })
  expect(out).toContain('not served  offline: classify')
})

// EVIDENCE-OF docs/guides/graph.md: In Studio it is called on SIGTERM, in `npm run eval` at the end.
test("what the agent's owner made is closed at the end", async () => {
  let closed = 0
  const close = async () => {
    closed += 1
  }
  const owning = defineAgent({ ...shipped, parts: parts => ({ ...parts, [Symbol.asyncDispose]: close }) })
  const args = ['--repeat', '1', await file('tasks.json', { tasks: [hello] })]
  await evalCommand(async () => owning, args, {}, { out: () => {}, err: () => {} })
  expect(closed).toBe(1)
})

/** Typed as an owner's file would be. */
const brief = (({ inputs, outputs, referenceOutputs }) => {
  const comment = `${inputs.input} ${outputs.output} ${JSON.stringify(referenceOutputs)}`
  return { key: 'brief', score: outputs.output.length < 8, comment }
}) satisfies Scorer

test("a scorer of one's own judges what the tasks find right; a file without one is refused", async () => {
  const server = await openAIServer(({ body }) => says(body.messages.at(-1)!.content))
  const inputs = ['hello', 'Oh, hello!', 'Good morning!']
  const tasks = await file('tasks.json', { tasks: inputs.map(input => ({ ...hello, name: input, input })) })
  const args = [tasks, '--repeat', '1', '--score']
  const { code, report } = await evaluation(
    [...args, await file('brief.ts', `export default ${brief}`)],
    server.env,
  )
  expect(code).toBe(1)
  expect(report.runs.map(({ problems }) => problems)).toEqual([
    [],
    [
      'brief: expected the score true or 1, got false: Oh, hello! Oh, hello! {"status":"success","contains":{"all":["hello"]}}',
    ],
    ['expected the text "hello", got "Good morning!"'],
  ])
  const none = await evaluation([...args, await file('none.ts', 'export const a = 1')], server.env)
  expect(none).toMatchObject({
    code: 64,
    err: expect.stringContaining('--score: expected a file whose default'),
  })
})

test('the same scorer is an evaluator of LangSmith', async () => {
  // It says that it traces nothing.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  onTestFinished(() => void vi.restoreAllMocks())
  const created_at = new Date().toISOString()
  const example = { id: crypto.randomUUID(), dataset_id: crypto.randomUUID(), created_at, runs: [] }
  const data = [{ ...example, inputs: { input: 'Say it.' }, outputs: { contains: 'hi' } }]
  const { results } = await langSmith(() => ({ output: 'hi' }), {
    data,
    evaluators: [brief],
    uploadRuns: false,
  })
  expect(results[0]?.evaluationResults.results).toMatchObject([
    { key: 'brief', score: true, comment: 'Say it. hi {"contains":"hi"}' },
  ])
})

test.each<[returned: unknown, problems: (string | RegExp)[]]>([
  [{ key: 'a', score: 1 }, []],
  [
    [
      { key: 'a', score: true },
      { key: 'b', score: 0.9 },
    ],
    ['b: expected the score true or 1, got 0.9'],
  ],
  [{ key: 'a', score: 5, comment: 'of 5' }, ['a: expected the score true or 1, got 5: of 5']],
  [
    { key: 'a', score: null },
    [/^the scorer failed: expected \{ key, score \}.*; got \{"key":"a","score":null\}$/],
  ],
  [[], [/^the scorer failed: expected .*; got \[\]$/]],
  [['too long'], [/^the scorer failed: expected .*; got \["too long"\]$/]],
  [undefined, [/^the scorer failed: expected .*; got undefined$/]],
])('a scorer that returns %j', async (returned, problems) => {
  const found = await problemsBy(() => returned as never, { inputs: {}, outputs: {} })
  expect(found).toEqual(problems.map(one => (typeof one === 'string' ? one : expect.stringMatching(one))))
})

test('a scorer that throws fails the run it judges, and ends nothing', async () => {
  const server = await openAIServer(() => says('Oh, hello!'))
  const tasks = await file('tasks.json', { tasks: [hello, { ...hello, name: 'again', input: 'Again.' }] })
  const throws = `export default ({ inputs }) => {
  if (inputs.input === 'Say hello.') throw new Error('no such member')
  return { key: 'any', score: true }
}`
  const args = [tasks, '--repeat', '1', '--score', await file('throws.js', throws)]
  const { code, report } = await evaluation(args, server.env)
  expect(code).toBe(1)
  expect(report.runs).toMatchObject([
    { verdict: 'fail', problems: ['the scorer failed: no such member'] },
    { verdict: 'pass' },
  ])
})

test('compares two models, adds up their cost, reports too few passes, and compares with an earlier report', async () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }
  const server = await openAIServer(({ body }) => says(body.model === 'good' ? 'Hello!' : 'Bye.', { usage }))
  const env = { ...server.env, MODEL_PRICE: '{"input":1,"output":10}' }
  const tasks = await file('tasks.json', { tasks: [hello, { ...hello, name: 'again' }] })
  const args = [tasks, '--model', 'good', '--repeat', '2']
  const first = await evaluation([...args, '--model', 'bad'], env)
  expect(first.code).toBe(1)
  expect(first.out).toMatch(/^ +good +bad$/m)
  expect(figuresIn(first.out)).toMatchObject({
    pass: ['100 % (4 of 4)', '0 % (0 of 4)'],
    'input tokens (mean)': ['1000', '1000'],
    'output tokens (mean)': ['100', '100'],
    'steps (mean)': ['1', '1'],
    'cost (all runs)': ['$0.008', '$0.008'],
  })
  expect(server.requests.map(({ body }) => body.model).sort()).toEqual([
    ...Array(4).fill('bad'),
    ...Array(4).fill('good'),
  ])
  expect(first.out).toContain('expected the text "hello", got "Bye."')
  expect((await evaluation([...args, '--model', 'bad', '--pass', '0'], env)).code).toBe(0)
  expect(first.report.runs[0]!.cost).toEqual({ usd: expect.closeTo(0.002), isEstimate: false })
  expect(first.out).toContain('2 tasks, each run 2 times; cost in all: $0.016')
  expect(first.out).toContain('fail        bad: hello (0 of 2), cost $0.004')

  const worse = first.report.runs.map(run => ({
    ...run,
    ...(run.task === 'hello' && { verdict: 'fail' as const }),
  }))
  const earlier = await file('earlier.json', { ...first.report, runs: worse })
  const { out } = await evaluation([...args, '--against', earlier], env)
  expect(out).toMatch(/^ +good +before$/m)
  expect(out).toMatch(/^cost \(all runs\) +\$0\.008 +\$0\.008$/m)
  expect(out).toContain('pass        good: hello (2 of 2, was fail (0 of 2)), cost $0.004')
  expect(out).not.toContain('good: again')
})

test('a run whose price is unknown is counted, never taken as free', async () => {
  const server = await openAIServer(() => says('Hello!'))
  const tasks = await file('tasks.json', { tasks: [hello] })
  const { report, out } = await evaluation([tasks, '--repeat', '1'], { ...server.env, MODEL: 'of-my-own' })
  expect(report.runs).toMatchObject([{ cost: null }])
  expect(out).toContain('cost in all: unknown')
  const [run] = report.runs
  const priced = { ...run!, cost: { usd: 0.5, isEstimate: true } }
  expect(costText([run!, priced, run!])).toBe('≈ $0.5, 2 runs unknown')
})

test('says how far it is while it runs', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const url = await agent((_request, { task_id, input }) => {
    if (input === 'second') vi.advanceTimersByTime(5_000)
    return { task_id, status: 'success', output: '', metrics: METRICS }
  })
  const inputs = ['first', 'second', 'third']
  const tasks = await file('tasks.json', { tasks: inputs.map(input => ({ ...hello, name: input, input })) })
  const { err } = await evaluation([tasks, '--url', url, '--repeat', '1', '--concurrency', '1'])
  expect(err).toBe('1 of 3 runs, 1 failed\n')
})

test('compares two prompts; a task that brings its own keeps it', async () => {
  const server = await openAIServer(({ body }) => says(body.messages[0]!.content))
  const own = { ...hello, name: 'own', config: { system_prompt: 'own: hello' } }
  const tasks = await file('tasks.json', { tasks: [hello, own] })
  const prompts = [await file('a.txt', 'first: hello\n'), await file('b.txt', 'second')]
  const { report } = await evaluation(
    [tasks, '--repeat', '1', ...prompts.flatMap(path => ['--prompt', path])],
    server.env,
  )
  expect(report.runs.map(({ variant }) => variant)).toEqual([...prompts, ...prompts])
  const outputs = report.runs.map(({ output }) => output)
  expect(outputs).toEqual(['first: hello', 'second', 'own: hello', 'own: hello'])
})

test('evaluates an agent over HTTP: its token, an answer that changes, a reply that violates the interface', async () => {
  let count = 0
  const seen = new Set<string | undefined>()
  const url = await agent((request, body) => {
    seen.add(request.authorization)
    count += 1
    if (body.input === 'broken') return { task_id: 'other', status: 'success', output: '' }
    return { task_id: body.task_id, status: 'success', output: count % 2 ? 'hello' : 'no', metrics: METRICS }
  })
  const broken = { name: 'broken', input: 'broken', expect: { status: 'success', contains: 'x' } }
  const steady = await file('tasks.json', { tasks: [hello] })
  const args = ['--url', url, '--concurrency', '1', '--token-env', 'TOKEN']
  const first = await evaluation([steady, ...args, '--repeat', '2'], { TOKEN: 'of-the-agent' })
  expect(figuresIn(first.out)).toMatchObject({
    pass: ['50 % (1 of 2)'],
    'unsteady (tasks)': ['1'],
    'steps (mean)': ['2'],
  })
  expect(first.out).toContain(`unsteady    ${url}: hello (1 of 2), cost unknown`)
  expect([...seen]).toEqual(['Bearer of-the-agent'])
  const second = await evaluation([await file('broken.json', { tasks: [broken] }), ...args], { TOKEN: 'x' })
  expect([second.code, second.report.runs[0]!.verdict]).toEqual([1, 'fail'])
  expect(second.out).toMatch(/expected .*task_id/)
})

test('serving nothing is not a success', async () => {
  const { code, out } = await evaluation(['packages/rehearsal/tasks/language.yaml', '--repeat', '1'])
  expect(code).toBe(2)
  expect(out).toContain('none served')
})

test('reports everything wrong with the options at once', async () => {
  const { code, err } = await evaluation([
    ...['--repeat', '0', '--pass', '101', '--url', 'ftp://x', '--model', 'm'],
    ...['--token-env', 'NONE', '--prompt', '/nowhere', '--against', '/nowhere'],
  ])
  expect(code).toBe(64)
  for (const part of ['--repeat', '--pass', '--url', '--model', '--token-env', '--prompt', '--against']) {
    expect(err).toMatch(new RegExp(`^  ${part}: expected .*got |^  ${part}: cannot be combined`, 'm'))
  }
})

test.each([
  {
    title: 'an unknown option',
    args: ['--frobnicate'],
    says: '--frobnicate: expected one of --model, --url, ',
  },
  {
    title: 'the web page of earlier versions',
    args: ['--html', 'report.html'],
    says: /^ {2}--html: expected one of .*--json/m,
  },
  {
    title: 'a model without a key',
    args: ['--model', 'gpt-4.1-mini'],
    says: 'OPENAI_API_KEY: expected a value, since MODEL is set',
  },
  {
    title: 'a model that the offline one would replace',
    args: ['--model', 'gpt-4.1-mini'],
    env: { MODEL_PROVIDER: 'offline' },
    says: '--model: expected a provider, got MODEL_PROVIDER=offline',
  },
  {
    title: 'a comparison with itself',
    args: ['--prompt', 'README.md', '--prompt', 'README.md'],
    says: '--prompt: expected each once, got "README.md" twice',
  },
])('refuses $title', async ({ args, env, says: words }) => {
  const { code, err } = await evaluation(args, env)
  expect(code).toBe(64)
  expect(err).toMatch(words)
})

test.each([
  ['[', 'which holds no JSON object'],
  ['{"startedAt":"","repeat":1,"summaries":[],"tasks":[]}', 'where runs is missing or wrong'],
  ['{"startedAt":"","repeat":1,"runs":[{"task":1}]}', 'where runs.0.task is missing or wrong'],
])('refuses to compare with %s', async (text, wrong) => {
  const { code, err } = await evaluation(['--against', await file('earlier.json', text)])
  expect(code).toBe(64)
  expect(err).toContain('--against: expected a report that --json wrote, got ')
  expect(err).toContain(wrong)
})

test('refuses tasks that no report could tell apart', async () => {
  const { name: _, ...unnamed } = hello
  const tasks = await file('tasks.json', { tasks: [unnamed, { ...unnamed, config: { max_tokens: 9 } }] })
  const { code, err } = await evaluation([tasks])
  expect(code).toBe(64)
  expect(err).toBe('expected a name of its own for each task, got "Say hello." twice\n')
})

test('reports an unreachable agent before running any task', async () => {
  const url = 'http://127.0.0.1:2'
  const { code, err } = await evaluation(['--url', `${url}/`])
  expect(code).toBe(64)
  expect(err).toMatch(`--url: expected an agent that answers ${url}/health, got: `)
})

const METRICS = { duration_sec: 0.1, input_tokens: 5, output_tokens: 5, steps: 2 }

type Body = Record<string, unknown>

/** An agent that answers each task with the function's result. */
async function agent(answer: (headers: IncomingHttpHeaders, body: Body) => Body): Promise<string> {
  const { url } = await startBackend((response, { path, headers, body }) => {
    const reply = path === '/run' ? answer(headers, JSON.parse(body.toString())) : {}
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(reply))
  })
  return url
}
