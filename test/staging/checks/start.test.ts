import { once } from 'node:events'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, type TestContext, test } from 'vitest'
import { logFile, logStream } from '../../../staging/agents/log-sources.ts'
import { startAgent } from '../../../staging/agents/start-agent.ts'
import { runChecks } from '../../../staging/checks/run-checks.ts'
import { startStalledModel } from '../../../staging/command/stalled-model.ts'
import { quoted } from '../../../staging/curl.ts'
import { freePort } from '../../support/free-port.ts'

/** A command line that runs a program in Node, with its port as `port`. */
async function program(
  code: string,
): Promise<{ url: string; command: string; environment: NodeJS.ProcessEnv }> {
  const port = await freePort()
  const command = `${quoted(process.execPath)} -e ${quoted(`const port = ${port};${code}`)}`
  return {
    url: `http://127.0.0.1:${port}`,
    command,
    environment: { MY_API_KEY: 'a-real-key-of-mine', HOME: '/root' },
  }
}

const HEALTHY = `
  const server = require('node:http').createServer((_request, response) => response.end('{}'))
  server.listen(port, '127.0.0.1', () => console.log(JSON.stringify(process.env)))
  console.error('on standard error')`

describe.concurrent('an agent that the checks start', () => {
  test('has fake secrets in its environment, and its output is its log', async ({ onTestFinished }) => {
    const agent = await startAgent(await program(HEALTHY))
    onTestFinished(() => void agent.end())
    const log = await agent.log.read()
    expect(log).toContain('on standard error')
    expect(agent.readyMs).toBeGreaterThan(0)
    expect(agent.secrets.get('MY_API_KEY')).toBe('a-real-key-of-mine')
    expect(agent.secrets.has('HOME')).toBe(false)
    const told = JSON.parse(log.split('\n').find(line => line.startsWith('{'))!)
    const planted = [...agent.secrets].filter(([name]) => name.startsWith('REHEARSAL_'))
    expect(planted.length).toBeGreaterThan(5)
    for (const [name, value] of agent.secrets) expect(told[name]).toBe(value)
  })

  test('exits on SIGTERM, with what it started', async () => {
    const agent = await startAgent(await program(HEALTHY))
    expect(await agent.end()).toMatchObject({ how: 'signal SIGTERM', clean: true })
    expect(await agent.end()).toMatchObject({ how: 'it had already ended with signal SIGTERM', clean: false })
  })

  test('is killed if it does not exit', async () => {
    const agent = await startAgent({
      ...(await program(`process.on('SIGTERM', () => {});${HEALTHY}`)),
      patienceMs: 3_000,
    })
    expect(await agent.end()).toMatchObject({ how: 'it did not end within 3 s', clean: false })
  })

  test('that exits: its last words are reported', async () => {
    await expect(
      startAgent(await program(`console.error('no model configured'); process.exit(3)`)),
    ).rejects.toThrow('exit code 3. Its last lines: no model configured')
  })

  test('that never answers: reported after a while', async () => {
    const silent = await program(`setInterval(() => {}, 1000)`)
    await expect(startAgent({ ...silent, patienceMs: 300 })).rejects.toThrow(
      `no answer from ${silent.url}/health within 0.3 s. Its last lines: nothing`,
    )
  })

  test('that answers wrongly: counts as started, for the checks to examine', async ({ onTestFinished }) => {
    const code =
      "require('node:http').createServer((_, response) => response.writeHead(500).end()).listen(port)"
    const agent = await startAgent({ ...(await program(code)), patienceMs: 3_000 })
    onTestFinished(() => void agent.end())
    expect(agent.readyMs).toBeGreaterThan(0)
  })

  test('that accepts connections but stays silent: counts as started, for the checks to examine', async ({
    onTestFinished,
  }) => {
    const silent = await program(`require('node:http').createServer(() => {}).listen(port, '127.0.0.1')`)
    const agent = await startAgent({ ...silent, patienceMs: 500 })
    onTestFinished(() => void agent.end())
    expect(agent.readyMs).toBeGreaterThanOrEqual(500)
  })

  test('does not replace another', async ({ onTestFinished }) => {
    const other = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    await expect(startAgent({ url, command: 'exit 0', environment: {} })).rejects.toThrow(
      'something else is listening there',
    )
  })
})

describe('a log', () => {
  test('from a file: its new content, even after truncation', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'log-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'agent.log')
    await writeFile(path, 'from yesterday\n')
    const log = logFile(path)
    expect(log.name).toBe(`the file ${path}`)
    expect(await log.read()).toBe('')
    await appendFile(path, 'first é\n')
    await appendFile(path, 'second\n')
    expect(await log.read()).toBe('first é\nsecond\n')
    await writeFile(path, 'fresh\n')
    expect(await log.read()).toBe('fresh\n')
  })

  test('from a file that appears later', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'log-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'agent.log')
    const log = logFile(path)
    await expect(log.read()).rejects.toThrow('ENOENT')
    await writeFile(path, 'first\n')
    expect(await log.read()).toBe('first\n')
  })

  test('from streams, characters never cut in half', async () => {
    const [one, other] = [new PassThrough(), new PassThrough()]
    const log = logStream('the pipe', one, other)
    const bytes = Buffer.from('aé')
    one.write(bytes.subarray(0, 2))
    other.write('b')
    one.write(bytes.subarray(2))
    one.end()
    await once(one, 'end')
    expect([...(await log.read())].sort()).toEqual(['a', 'b', 'é'])
  })
})

describe.concurrent('a model that never answers', () => {
  /** Calls the model whose address is in `MODEL_URL`, for this long at most; succeeds without one. */
  const asking = (limit: string) => `
    const metrics = { duration_sec: 1, input_tokens: 1, output_tokens: 1, steps: 1 }
    require('node:http').createServer(async (request, response) => {
      let status = 'success'
      if (request.url === '/run' && process.env.MODEL_URL) {
        await fetch(process.env.MODEL_URL, { signal: ${limit} }).catch(() => { status = 'timeout' })
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ task_id: 'test-1', status, output: '', metrics }))
    }).listen(port, '127.0.0.1')`

  async function givenUp(limit: string, onTestFinished: TestContext['onTestFinished']) {
    const model = await startStalledModel()
    onTestFinished(() => model.close())
    const agent = await program(asking(limit))
    const start = await startAgent(agent)
    const startStalled = () => startAgent({ ...agent, environment: { MODEL_URL: model.url } })
    const limits = { runTimeoutMs: 1_500, logSettleMs: 20, logLateMs: 0 }
    const { groups } = await runChecks({ url: agent.url, start, startStalled, limits, only: ['end'] })
    return groups[0]!.assertions.find(({ id }) => id === 'end.gives_up')!
  }

  test('is detected if the agent waits for it forever', async ({ onTestFinished }) => {
    expect(await givenUp('undefined', onTestFinished)).toMatchObject({
      verdict: 'fail',
      detail: 'expected a reply, but no complete reply within 1.5 s',
    })
  })

  test('does not delay an agent that gives up', async ({ onTestFinished }) => {
    expect(await givenUp('AbortSignal.timeout(50)', onTestFinished)).toMatchObject({ verdict: 'pass' })
  })

  test("needs the agent's variable, and says which option names it", async () => {
    const agent = await program(HEALTHY)
    const report = await runChecks({
      url: agent.url,
      start: await startAgent(agent),
      only: ['end'],
      limits: { logSettleMs: 20, logLateMs: 0 },
    })
    expect(report.groups[0]!.assertions.find(({ id }) => id === 'end.gives_up')).toMatchObject({
      verdict: 'not_run',
      mandatory: false,
      detail: expect.stringContaining('--stall NAME'),
    })
  })
})
