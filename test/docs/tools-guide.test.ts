import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { projectByToolsGuide, readToolsGuide } from '../support/tools-guide.ts'

const run = promisify(execFile)
let port = 0
let project: Awaited<ReturnType<typeof projectByToolsGuide>>

beforeAll(async () => {
  const reserved = createServer().listen(0, '127.0.0.1')
  await once(reserved, 'listening')
  port = (reserved.address() as { port: number }).port
  await new Promise(resolve => reserved.close(resolve))
  project = await projectByToolsGuide(code => code.replaceAll('9200', String(port)))
})
afterAll(() => project.remove())

/** Runs a file of the project; it ends with the test. Gives what it writes, a line each, and waits for a line. */
function start(file: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [file], {
    cwd: project.folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', line => lines.push(line))
  const until = async (isThere: () => boolean) => {
    while (!isThere()) await once(reader, 'line')
  }
  return { lines, until }
}

async function startShop(): Promise<void> {
  start('shop.ts')
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    )
  while (!(await isUp())) await sleep(20)
}

/** The agent of the project over HTTP, and its log. */
async function startAgent(env: Record<string, string> = {}) {
  const { lines, until } = start('test/support/process-entry.ts', env)
  const log = () => lines.map(line => JSON.parse(line) as Record<string, unknown>)
  await until(() => log().some(({ msg }) => msg === 'listening'))
  const { port: own } = log().find(({ msg }) => msg === 'listening')!
  const ask = async (input: string, config: object = {}) => {
    const response = await fetch(`http://127.0.0.1:${own}/run`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ task_id: 'test-1', input, config }),
    })
    return (await response.json()) as { status: string; output: string; error?: string }
  }
  return { ask, log, until }
}

const COUNT = 'Use text_stats with {"text": "To be, or not to be: that is the question."}'

test('the guide has its files, and the project has no more of them', async () => {
  const paths = (await readToolsGuide()).map(({ path }) => path)
  expect(paths).toEqual([
    'tools/text-stats.ts',
    'tools/registry.ts',
    'my-tasks.yaml',
    'shop.ts',
    'tools/order-status.ts',
    'tools/registry.ts',
  ])
})

test('its code passes the checks of the project', async () => {
  const files = ['tools/registry.ts', 'tools/text-stats.ts', 'tools/order-status.ts', 'shop.ts']
  const options = { cwd: project.folder }
  const bin = (name: string) => join(project.folder, 'node_modules/.bin', name)
  await run(bin('biome'), ['check', '--error-on-warnings', ...files], options)
  const tsconfig = '{ "extends": "./tsconfig.json", "include": ["tools", "shop.ts"] }'
  await writeFile(join(project.folder, 'tsconfig.guide.json'), tsconfig)
  await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.guide.json'], options)
}, 120_000)

test('the first tool works over HTTP, beside the others', async () => {
  const { ask, log } = await startAgent()
  const output = '42 characters, 10 words, 1 sentences'
  expect(await ask(COUNT)).toMatchObject({ status: 'success', output })
  expect(await ask(COUNT, { enabled_tools: ['text_stats'] })).toMatchObject({ output })
  expect(await ask(COUNT, { enabled_tools: ['calculator'] })).toMatchObject({
    status: 'error',
    error: expect.stringContaining('needs the tool text_stats'),
  })
  expect(await ask('Use text_stats with {"text": " "}')).toMatchObject({
    output: expect.stringContaining('the text is empty; give one to count'),
  })
  expect(await ask('What is 6*7?')).toMatchObject({ output: expect.stringContaining('42') })
  expect(log()).toContainEqual(
    expect.objectContaining({
      msg: 'tool not offered: its secrets are not set',
      tool: 'order_status',
      missing: ['SHOP_API_KEY'],
    }),
  )
})

test('the second tool asks its service with its key, and tells of what goes wrong', async () => {
  await startShop()
  const { ask, log } = await startAgent({ SHOP_API_KEY: 'letmein-4711' })
  expect(await ask('Use order_status with {"number": 7}')).toMatchObject({
    status: 'success',
    output: 'Order 7 is on its way and arrives on 2027-03-01.',
  })
  expect(await ask('Use order_status with {"number": 8}')).toMatchObject({
    output: expect.stringContaining('there is no order 8; ask for its number'),
  })
  expect(await ask('Use order_status with {"number": 0}')).toMatchObject({
    output: expect.stringContaining('do not fit'),
  })
  expect(JSON.stringify(log())).not.toContain('letmein')
})

test('a wrong key is a fault that the log tells of, without the key', async () => {
  await startShop()
  const { ask, log, until } = await startAgent({ SHOP_API_KEY: 'wrong-key-1' })
  expect(await ask('Use order_status with {"number": 7}')).toMatchObject({
    output: expect.stringContaining('the tool order_status failed'),
  })
  await until(() => log().some(({ msg }) => msg === 'run'))
  expect(log()).toContainEqual(
    expect.objectContaining({ level: 'warn', msg: 'tool failed', tool: 'order_status' }),
  )
  expect(JSON.stringify(log())).not.toMatch(/wrong-key|the shop does not answer/)
})

test('the graph that Studio loads has the tools', async () => {
  const program = `
    const { agent } = await import('./src/studio.ts')
    const messages = [{ role: 'user', content: ${JSON.stringify(COUNT)} }]
    const { messages: all } = await (await agent()).invoke({ messages })
    console.log(all.at(-1).content)
    process.exit(0)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: project.folder,
    env: { LOG_LEVEL: 'silent' },
  })
  expect(stdout).toBe('42 characters, 10 words, 1 sentences\n')
})
