import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyProject, followGuide, type GuideBlock, readGuide } from '@agent-task-service/test-support/guide'
import { atSomePort } from '@agent-task-service/test-support/some-port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serve } from './over-http.ts'

const servers: ChildProcess[] = []
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tools-guide-'))
  await copyProject(folder, ['src', 'graph', 'tools', 'package.json'])
  const blocks = await readGuide('tools.md')
  const ports = new Map([
    ['9200', await startServer('shop.ts', '9200', blocks)],
    ['9300', await startServer('bank.ts', '9300', blocks)],
  ])
  await followGuide(
    blocks.map(block => ({ ...block, code: block.code.replace(/9[23]00/g, port => ports.get(port)!) })),
    folder,
  )
})
afterAll(async () => {
  for (const server of servers) server.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

/** Starts a server of the guide, which has its port in its code, and in that of the tool. */
async function startServer(file: string, inGuide: string, blocks: readonly GuideBlock[]): Promise<string> {
  const { code } = blocks.find(({ path }) => path === file)!
  return await atSomePort(async chosen => {
    const port = String(chosen)
    await writeFile(join(folder, file), code.replaceAll(inGuide, port))
    const child = spawn(process.execPath, [file], { cwd: folder, env: {}, stdio: 'inherit' })
    const ended = once(child, 'exit').then(() => undefined)
    servers.push(child)
    const isUp = fetchUntilUp(`http://127.0.0.1:${port}`).then(() => port)
    return await Promise.race([isUp, ended])
  })
}

async function fetchUntilUp(url: string): Promise<void> {
  const isUp = () =>
    fetch(url).then(
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

test('the second tool calls its service with its key, and reports what goes wrong', async () => {
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

test('the third tool pays once for each call, and finds a payment by its key', async () => {
  const { ask } = await startAgent()
  for (const nth of [1, 2])
    expect(await ask('Use pay with {"to": "Ann", "euros": 5}')).toMatchObject({
      output: `Paid: payment ${nth}`,
    })
  const { pay } = await import(join(folder, 'tools/pay.ts'))
  const [bank] = /http:\/\/[\w.]+:\d+/.exec(await readFile(join(folder, 'tools/pay.ts'), 'utf8'))!
  const signal = new AbortController().signal
  expect(await pay.lookup('unheard-of', { signal })).toBeUndefined()
  const post = { method: 'POST', headers: { 'Idempotency-Key': 'key-1' } }
  for (const _time of [1, 2]) await fetch(`${bank}/payments`, post)
  expect(await pay.lookup('key-1', { signal })).toBe('Paid: payment 3')
})
