import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../evaluation/command.ts'
import type { Report } from '../../evaluation/report.ts'
import { startBackend } from '../support/backend.ts'
import { freePort } from '../support/free-port.ts'
import { says } from '../support/openai-replies.ts'
import { openAIServer } from '../support/openai-server.ts'

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
  const code = await runCommand([...args, '--json', json], env, write)
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

test('the offline model passes everything it claims to serve; the rest is not served', async () => {
  const { code, out, report } = await evaluation(['--repeat', '1'])
  expect(code).toBe(0)
  const [summary] = report.summaries
  expect(summary).toMatchObject({ name: 'offline', passed: 32, failed: 0, passShare: 1, notServed: 6 })
  const verdicts = report.tasks.map(({ results }) => results[0]!.verdict)
  expect(verdicts).toEqual([...Array(32).fill('pass'), ...Array(6).fill('not_served')])
  expect(out).toContain('100 % (32 of 32)')
  expect(out).toContain('not served  offline: classify')
})

test("a scorer of one's own judges what the tasks find right; a file without one is refused", async () => {
  const server = await openAIServer(() => says('Oh, hello!'))
  const tasks = await file('tasks.json', { tasks: [hello] })
  const scorer = `import type { Scorer } from '${join(import.meta.dirname, '../../evaluation/scorer.ts')}'
const brief: Scorer = async ({ task, reply }) => String(reply.output).length > 5 ? [task.name + ': too long'] : []
export default brief`
  const args = [tasks, '--repeat', '1', '--score']
  const { code, report } = await evaluation([...args, await file('brief.ts', scorer)], server.env)
  expect(code).toBe(1)
  expect(report.tasks[0]?.results[0]).toMatchObject({ verdict: 'fail' })
  expect(JSON.stringify(report)).toContain('hello: too long')
  const none = await evaluation([...args, await file('none.ts', 'export const a = 1')], server.env)
  expect(none).toMatchObject({
    code: 64,
    err: expect.stringContaining('--score: expected a file whose default'),
  })
})

test('compares two models, adds up their cost, reports too few passes, and compares with an earlier report', async () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }
  const server = await openAIServer(({ body }) => says(body.model === 'good' ? 'Hello!' : 'Bye.', { usage }))
  const env = { ...server.env, MODEL_PRICE: '{"input":1,"output":10}' }
  const tasks = await file('tasks.json', { tasks: [hello, { ...hello, name: 'again' }] })
  const args = [tasks, '--model', 'good', '--repeat', '2']
  const first = await evaluation([...args, '--model', 'bad'], env)
  expect(first.code).toBe(1)
  expect(first.report.summaries).toMatchObject([
    { name: 'good', passed: 4, failed: 0, inputTokens: 1000, outputTokens: 100, steps: 1 },
    { name: 'bad', passed: 0, failed: 4 },
  ])
  expect(server.requests.map(({ body }) => body.model).sort()).toEqual([
    ...Array(4).fill('bad'),
    ...Array(4).fill('good'),
  ])
  expect(first.out).toContain('expected the text "hello", got "Bye."')
  expect((await evaluation([...args, '--model', 'bad', '--pass', '0'], env)).code).toBe(0)
  expect(first.report.cost).toEqual({ usd: expect.closeTo(0.016), isEstimate: false, unpriced: 0 })
  expect(first.report.summaries.map(({ cost }) => cost.usd)).toEqual(
    [0.008, 0.008].map(one => expect.closeTo(one)),
  )
  expect(first.report.tasks[0]!.results[0]!.cost.usd).toBeCloseTo(0.004)
  expect(first.out).toContain('2 tasks, each run 2 times; cost in all: $0.016')
  expect(first.out).toContain('fail        bad: hello (0 of 2), cost $0.004')

  const good = { ...first.report, tasks: first.report.tasks.map(task => ({ ...task })) }
  Object.assign(good.tasks[0]!, { results: [{ ...good.tasks[0]!.results[1]! }] })
  const page = join(folder, 'compared.html')
  const earlier = await file('earlier.json', good)
  const { out } = await evaluation([...args, '--against', earlier, '--html', page], env)
  expect(out).toMatch(/^ +good +before$/m)
  expect(out).toMatch(/^cost \(all runs\) +\$0\.008 +\$0\.008$/m)
  expect(out).toContain('pass        good: hello (2 of 2, was fail (0 of 2)), cost $0.004')
  expect(out).not.toContain('good: again')
  expect(await readFile(page, 'utf8')).toContain('✓ pass (2 of 2)<br>cost $0.004<br>before: ✗ fail (0 of 2)')
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
  expect(report.summaries.map(({ name }) => name)).toEqual(prompts)
  const outputs = report.tasks.map(({ results }) => results.map(({ output }) => output))
  expect(outputs).toEqual([
    ['first: hello', 'second'],
    ['own: hello', 'own: hello'],
  ])
})

test('evaluates an agent over HTTP: its token, an answer that changes, a reply that violates the interface', async () => {
  let count = 0
  const seen = new Set<string | undefined>()
  const url = await agent((request, body) => {
    seen.add(request.authorization)
    count += 1
    if (body.input === 'broken') return { task_id: 'other', status: 'success', output: '' }
    const metrics = { duration_sec: 0.1, input_tokens: 5, output_tokens: 5, steps: 2 }
    return { task_id: body.task_id, status: 'success', output: count % 2 ? 'hello' : 'no', metrics }
  })
  const broken = { name: 'broken', input: 'broken', expect: { status: 'success', contains: 'x' } }
  const steady = await file('tasks.json', { tasks: [hello] })
  const args = ['--url', url, '--concurrency', '1', '--token-env', 'TOKEN']
  const first = await evaluation([steady, ...args, '--repeat', '2'], { TOKEN: 'of-the-agent' })
  expect(first.report.tasks[0]!.results).toMatchObject([{ verdict: 'unsteady', passed: 1, runs: 2 }])
  expect(first.report.summaries).toMatchObject([{ unsteady: 1, passShare: 0.5, steps: 2 }])
  expect([...seen]).toEqual(['Bearer of-the-agent'])
  const second = await evaluation([await file('broken.json', { tasks: [broken] }), ...args], { TOKEN: 'x' })
  expect([second.code, second.report.tasks[0]!.results[0]!.verdict]).toEqual([1, 'fail'])
  expect(second.out).toMatch(/expected .*task_id/)
})

test('serving nothing is not a success', async () => {
  const { code, out } = await evaluation(['staging/tasks/language.yaml', '--repeat', '1'])
  expect(code).toBe(2)
  expect(out).toContain('none served')
})

test("the page shows an agent's words as text", async () => {
  const evil = '<img src=x onerror=alert(1)> hello'
  const url = await agent((_request, { task_id }) => {
    const metrics = { duration_sec: 0.1, input_tokens: 5, output_tokens: 5, steps: 2 }
    return { task_id, status: 'success', output: evil, metrics }
  })
  const page = join(folder, 'page.html')
  const tasks = await file('tasks.json', { tasks: [{ ...hello, name: '<b>name</b>' }] })
  expect((await evaluation([tasks, '--url', url, '--html', page])).code).toBe(0)
  const html = await readFile(page, 'utf8')
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; hello')
  expect(html).toContain('&lt;b&gt;name&lt;/b&gt;')
  expect(html).not.toMatch(/<img|<b>|<script/)
  expect(html).toContain('✓ pass (3 of 3)')
})

test('reports everything wrong with the options at once', async () => {
  const { code, err } = await evaluation([
    ...['--repeat', '0', '--pass', '101', '--url', 'ftp://x', '--model', 'm'],
    ...['--token-env', 'NONE', '--prompt', '/nowhere'],
  ])
  expect(code).toBe(64)
  for (const part of ['--repeat', '--pass', '--url', '--model', '--token-env', '--prompt']) {
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
    title: 'a model that the offline one would replace',
    args: ['--model', 'gpt-4.1-mini'],
    says: '--model: expected a provider, set by OPENAI_API_KEY or OPENAI_BASE_URL',
  },
  {
    title: 'a comparison with itself',
    args: ['--prompt', 'README.md', '--prompt', 'README.md'],
    says: '--prompt: expected each once, got "README.md" twice',
  },
])('refuses $title', async ({ args, says: words }) => {
  const { code, err } = await evaluation(args)
  expect(code).toBe(64)
  expect(err).toContain(words)
})

test('reports an unreachable agent before running any task', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const { code, err } = await evaluation(['--url', `${url}/`])
  expect(code).toBe(64)
  expect(err).toMatch(`--url: expected an agent that answers ${url}/health, got: `)
})

type Body = Record<string, unknown>

/** An agent that answers each task with the function's result. */
async function agent(answer: (headers: IncomingHttpHeaders, body: Body) => Body): Promise<string> {
  const { url } = await startBackend((response, { path, headers, body }) => {
    const reply = path === '/run' ? answer(headers, JSON.parse(body.toString())) : {}
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(reply))
  })
  return url
}
