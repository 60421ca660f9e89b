import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { startAgent } from '@agent-task-service/rehearsal/agents'
import { describe, expect, test } from 'vitest'
import { newFile } from '../new-file.ts'
import { HEALTHY, program } from './program.ts'

const START_AGENT = new URL('../../agents/start-agent.ts', import.meta.url).href

describe.concurrent('a started agent', () => {
  test('has fake secrets in its environment, and its output is its log', async ({ onTestFinished }) => {
    const agent = await startAgent(await program(HEALTHY))
    onTestFinished(() => void agent.end())
    const log = await agent.log.read()
    expect(log).toContain('on standard error')
    expect(agent.readyMs).toBeGreaterThan(0)
    expect(agent.secrets.get('MY_API_KEY')).toBe('a-real-key-of-mine')
    expect(agent.secrets.has('HOME')).toBe(false)
    expect(agent.memory()).toBeGreaterThan(20e6)
    const told = JSON.parse(log.split('\n').find(line => line.startsWith('{'))!)
    const planted = [...agent.secrets].filter(([name]) => name.startsWith('REHEARSAL_'))
    expect(planted).not.toEqual([])
    for (const [name, value] of agent.secrets) expect(told[name]).toBe(value)
  })

  test('does not show its memory if another process listens, as in a container', async ({
    onTestFinished,
  }) => {
    const apart = `
      const code = ${JSON.stringify(HEALTHY)}
      const agent = require('node:child_process').spawn(
        process.execPath, ['-e', \`const port = \${port};\${code}\`], { detached: true })
      process.on('SIGTERM', () => agent.kill() && process.exit())`
    const agent = await startAgent(await program(apart))
    onTestFinished(() => void agent.end())
    expect(agent.memory()).toBeUndefined()
  })

  test('has a copy of its log without its secrets, in UTF-16 too', async ({ onTestFinished }) => {
    const wide = `process.stderr.write(Buffer.from('with ' + process.env.MY_API_KEY + '.\\n', 'utf16le'));${HEALTHY}`
    const logFile = await newFile('copy.log')
    const agent = await startAgent({ ...(await program(wide)), logFile })
    onTestFinished(() => void agent.end())
    await expect.poll(() => readFile(logFile, 'utf8')).toContain('with [redacted].')
    expect(await agent.lastWords()).toContain('with [redacted].')
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

  test('ends when the process that started it is killed', async () => {
    const agent = await program(HEALTHY)
    const code = `
      const { startAgent } = await import(${JSON.stringify(START_AGENT)})
      await startAgent(${JSON.stringify(agent)})
      console.log('started')`
    const starter = spawn(process.execPath, ['--input-type=module', '--eval', code])
    await once(starter.stdout, 'data')
    starter.kill('SIGKILL')
    const answers = () =>
      fetch(`${agent.url}/health`).then(
        () => true,
        () => false,
      )
    while (await answers()) await setImmediate()
  })

  test('that never answers: reported after a while', async () => {
    const silent = await program(`setInterval(() => {}, 1000)`)
    await expect(startAgent({ ...silent, patienceMs: 1_000 })).rejects.toThrow(
      `no answer from ${silent.url}/health within 1 s. Its last lines: nothing`,
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
    // Ample for Node to start and listen: until then connections are refused.
    const patienceMs = 3_000
    const agent = await startAgent({ ...silent, patienceMs })
    onTestFinished(() => void agent.end())
    expect(agent.readyMs).toBeGreaterThanOrEqual(patienceMs)
  })

  test('does not replace another', async ({ onTestFinished }) => {
    const other = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    await expect(startAgent({ url, command: 'exit 0', environment: {} })).rejects.toThrow(
      `${url} is in use by another program: end it, or name it: npm run staging -- agent-1=${url}, or npm run staging:check -- ${url}`,
    )
  })
})
