import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { Report } from '../../../staging/report.ts'
import { judge } from '../../../staging/tasks/judge.ts'
import { isAtLength } from '../../support/at-length.ts'
import { freePort } from '../../support/free-port.ts'
import { answer } from './second-agent/answer.ts'
import { TOOLS } from './second-agent/request.ts'
import { tasks as file } from './zoo/examine.ts'

const CHECK = fileURLToPath(new URL('../../../staging/check.ts', import.meta.url))
const folder = fileURLToPath(new URL('second-agent', import.meta.url))

test.for(file.tasks)('it answers: $input', ({ input, expect: expected }) => {
  const from = new Date()
  const { text: output } = answer(input, from, TOOLS)
  expect(judge(expected, { status: 'success', output }, { from, to: new Date() })).toEqual([])
})

test.for(['Who wrote Hamlet?', 'What is 2 + ?', 'What time is it in Atlantis?'])(
  'it says that it cannot answer: %s',
  question => {
    expect(() => answer(question, new Date(), TOOLS)).toThrow('this is none of them')
  },
)

test('as a program it serves with the tokens of its environment, and exits on SIGTERM', async () => {
  const token = 'a-token-of-this-test'
  const child = spawn(process.execPath, [`${folder}/main.ts`, '--port', '0'], {
    env: { AGENT_TOKENS: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  const output = createInterface({ input: child.stdout })
  output.on('line', line => lines.push(line))
  await once(output, 'line')
  const url = `http://127.0.0.1:${/port=(\d+)/.exec(lines[0]!)?.[1]}/run`
  const body = JSON.stringify({ task_id: 'test-1', input: 'What is 6 * 7?' })
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401)
  const authorized = { ...headers, authorization: `Bearer ${token}` }
  const reply = await fetch(url, { method: 'POST', headers: authorized, body })
  expect(await reply.json()).toMatchObject({
    task_id: 'test-1',
    status: 'success',
    output: 'The answer is 42.',
  })
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(lines.join('\n')).toContain('run task="test-1" status="success"')
  expect(lines.join('\n')).not.toContain(token)
})

/** What both agents can do. */
const TASKS = fileURLToPath(new URL('third-agent/tasks.yaml', import.meta.url))
const third = fileURLToPath(new URL('third-agent', import.meta.url))

const commands: [string, ...string[]][] = [
  [`${folder}/main.ts --port `, '--token-env', 'AGENT_TOKENS'],
  [`${third}/agent.mjs `],
]

test.for(isAtLength ? commands : [])(
  'npm run staging:check starts it, and it passes: %s',
  async ([program, ...options]) => {
    const port = await freePort()
    const args = [
      `http://127.0.0.1:${port}`,
      '--start',
      `exec node ${program}${port}`,
      '--tasks',
      TASKS,
      ...options,
    ]
    const { PATH } = process.env
    const child = spawn(process.execPath, [CHECK, ...args, '--json', '-'], {
      env: { PATH, AGENT_TOKENS: 'a-token-of-this-test' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGTERM'))
    const [report, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    const { verdict, groups } = JSON.parse(report) as Report
    const notPassed = groups
      .flatMap(({ assertions }) => assertions)
      .filter(assertion => assertion.mandatory && assertion.verdict !== 'pass')
    expect(notPassed.map(({ id, detail }) => `${id}: ${detail}`)).toEqual([])
    expect([verdict, code]).toEqual(['passed', 0])
  },
)
