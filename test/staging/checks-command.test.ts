import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { XMLValidator } from 'fast-xml-parser'
import { expect, onTestFinished, test } from 'vitest'
import { AgentClient } from '../../staging/agents/agent-client.ts'
import { checkCommand } from '../../staging/checks/command/command.ts'
import { quoted } from '../../staging/checks/curl.ts'
import { freePort } from '../support/free-port.ts'
import { scriptedAgent } from '../support/scripted-agent.ts'

const CHECK = fileURLToPath(new URL('../../staging/check.ts', import.meta.url))

async function command(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const signal = new AbortController().signal
  const code = await checkCommand(args, { env: {}, stdin: new PassThrough(), stdout, stderr, signal })
  return { code, output: String(stdout.read() ?? ''), errors: String(stderr.read() ?? '') }
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'checks-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

test('a report that cannot be written is told before anything is checked', async () => {
  const agent = await scriptedAgent((_request, response) => void response.end())
  const { code, output, errors } = await command(agent.url, '--json', '/nowhere/a.json', '--junit', tmpdir())
  expect([code, output]).toEqual([64, ''])
  expect(errors).toBe(
    `the options are not valid:
  --json: expected a file that can be written, got ENOENT for /nowhere/a.json
  --junit: expected a file that can be written, got EISDIR for ${tmpdir()}
`,
  )
  expect(agent.requests).toEqual([])
})

test('a task file that cannot be used ends it with all that is wrong', async () => {
  const path = join(await folder(), 'a.yaml')
  await writeFile(path, 'tasks:\n  - { input: 5, expect: {} }\n')
  const { code, errors } = await command('--tasks', path)
  expect(code).toBe(64)
  expect(errors.split('\n')).toHaveLength(3)
})

test('what an agent writes moves no terminal, in none of the reports', async () => {
  const nasty = '\u001b]0;owned\u0007\u009b31m\u202e'
  const agent = await scriptedAgent(({ path }, response) => {
    response.setHeader('content-type', 'application/json')
    const said = { status: 'error', error: nasty, output: nasty, metrics: {}, agent_id: nasty, agent_name: 1 }
    response.end(JSON.stringify(path === '/health' ? { ...said, status: nasty } : said))
  })
  const [json, junit] = ['a.json', 'a.xml'].map(name => join(tmpdir(), `${process.pid}-${name}`)) as [
    string,
    string,
  ]
  onTestFinished(async () => void (await Promise.all([json, junit].map(file => rm(file)))))
  const { code, output } = await command(agent.url, '--only', 'health,run', '--json', json, '--junit', junit)
  const reports = [output, await readFile(json, 'utf8'), await readFile(junit, 'utf8')]
  expect(code).toBe(1)
  expect(output).toContain('\\u001b]0;owned\\u0007\\u009b31m\\u202e')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
  for (const report of reports) expect(report).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  expect(XMLValidator.validate(reports[2]!)).toBe(true)
  expect(JSON.parse(reports[1]!)).toMatchObject({ verdict: 'failed' })
})

test.for(['SIGINT', 'SIGHUP'] as const)('at %s the agent that was started ends too', async signal => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  // Answers /health alone, so that the checks wait.
  const program = `require('node:http').createServer(({ url }, response) => {
    if (url === '/health') response.end('{}')
    else console.log(url)
  }).listen(${port}, '127.0.0.1')`
  const start = `exec ${quoted(process.execPath)} -e ${quoted(program)}`
  const child = spawn(process.execPath, [CHECK, url, '--start', start, '--only', 'run'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGTERM'))
  child.stdout.resume()
  await once(child.stdout, 'data')
  child.kill(signal)
  expect(await once(child, 'close')).toEqual([2, null])
  expect((await new AgentClient({ url }).health({ timeoutMs: 5_000 })).failure?.kind).toBe('refused')
})
