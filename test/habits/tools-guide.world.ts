import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyProject, followGuide, readGuide } from '@agent-task-service/test-support/guide'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { serve } from './over-http.ts'

let shopPort: string
let bankPort: string
let folder: string

beforeAll(async () => {
  shopPort = String(await heldPort())
  bankPort = String(await heldPort())
  folder = await mkdtemp(join(tmpdir(), 'tools-guide-'))
  await copyProject(folder, ['src', 'graph', 'tools', 'package.json'])
  const blocks = await readGuide('tools.md')
  await followGuide(
    blocks.map(block => ({
      ...block,
      code: block.code.replaceAll('9200', shopPort).replaceAll('9300', bankPort),
    })),
    folder,
  )
})
afterAll(() => rm(folder, { recursive: true }))

async function startServer(file: string, port: string): Promise<void> {
  const server = spawn(process.execPath, [file], { cwd: folder, env: {}, stdio: 'inherit' })
  onTestFinished(() => void server.kill('SIGKILL'))
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    )
  while (!(await isUp())) await sleep(20)
}

/** The agent of the copy, and its log. */
async function startAgent(env: Record<string, string> = {}) {
  const { run, lines } = await serve(folder, env)
  return { ask: (input: string, config = {}) => run({ input, config }), log: lines }
}

const COUNT = 'Use text_stats with {"text": "To be, or not to be: that is the question."}'

// EVIDENCE-OF README.md: Around it are a workshop (the graph in LangGraph Studio, tools as small files, evaluation, recordings)
//   and a rehearsal of the marketplace: its staging route, health monitor, dashboard and acceptance checks.
// EVIDENCE-OF docs/guides/tools.md: `tool()`, a `StructuredTool`, or one of the many existing ones.
// EVIDENCE-OF docs/guides/tools.md: Start the agent with `npm run dev` and call it.
// EVIDENCE-OF docs/guides/tools.md: `{"level":"warn","tool":"order_status","missing":["SHOP_API_KEY"],"msg":"tool not offered: its
//   secrets are not set"}`.
test('the first tool works over HTTP, next to the others', async () => {
  const { ask, log } = await startAgent()
  const output = '42 characters, 10 words, 1 sentences'
  expect(await ask(COUNT)).toMatchObject({ output })
  expect(await ask(COUNT, { enabled_tools: ['text_stats'] })).toMatchObject({ output })
  expect(await ask(COUNT, { enabled_tools: ['calculator'] })).toMatchObject({
    error: expect.stringContaining('needs the tool text_stats'),
  })
  expect(await ask('Use text_stats with {"text": " "}')).toMatchObject({
    error: expect.stringContaining('the text is empty; give one to count'),
  })
  expect(await ask('What is 6*7?')).toMatchObject({ output: expect.stringContaining('42') })
  expect(log).toContainEqual(
    expect.objectContaining({
      msg: 'tool not offered: its secrets are not set',
      tool: 'order_status',
      missing: ['SHOP_API_KEY'],
    }),
  )
})

// EVIDENCE-OF docs/guides/tools.md: Start the agent with the key, and call it:
// EVIDENCE-OF docs/reference/tool-rules.md: It is called at start, with empty strings for unset variables, so it must only
//   create the tool.
test('the second tool calls its service with its key, and reports what goes wrong', async () => {
  await startServer('shop.ts', shopPort)
  const { ask, log } = await startAgent({ SHOP_API_KEY: 'letmein-4711' })
  expect(await ask('Use order_status with {"number": 7}')).toMatchObject({
    output: 'Order 7 is on its way and arrives on 2027-03-01.',
  })
  expect(await ask('Use order_status with {"number": 8}')).toMatchObject({
    error: expect.stringContaining('there is no order 8; ask for its number'),
  })
  expect(await ask('Use order_status with {"number": 0}')).toMatchObject({
    error: expect.stringContaining('do not fit'),
  })
  expect(JSON.stringify(log)).not.toContain('letmein')
})

// EVIDENCE-OF docs/guides/tools.md: So it says that it has side effects, sends the key of its call, and can find out what became of a
//   call.
test('the third tool pays once for each call, and finds a payment by its key', async () => {
  await startServer('bank.ts', bankPort)
  const { ask } = await startAgent()
  for (const nth of [1, 2])
    expect(await ask('Use pay with {"to": "Ann", "euros": 5}')).toMatchObject({
      output: `Paid: payment ${nth}`,
    })
  const { pay } = await import(join(folder, 'tools/pay.ts'))
  const signal = new AbortController().signal
  expect(await pay.lookup('unheard-of', { signal })).toBeUndefined()
  const post = { method: 'POST', headers: { 'Idempotency-Key': 'key-1' } }
  for (const _time of [1, 2]) await fetch(`http://127.0.0.1:${bankPort}/payments`, post)
  expect(await pay.lookup('key-1', { signal })).toBe('Paid: payment 3')
})
