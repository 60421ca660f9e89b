import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { SHIPPED_TASKS } from '../../../staging/checks/run-checks.ts'
import type { Report } from '../../../staging/report.ts'
import { judge } from '../../../staging/tasks/judge.ts'
import { readTasks } from '../../../staging/tasks/read-tasks.ts'
import { isAtLength } from '../../support/at-length.ts'
import { freePort } from '../../support/free-port.ts'
import { answer } from './second-agent/answer.ts'
import { TOOLS } from './second-agent/request.ts'

const CHECK = fileURLToPath(new URL('../../../staging/check.ts', import.meta.url))
const folder = fileURLToPath(new URL('second-agent', import.meta.url))
const { tasks } = await readTasks(SHIPPED_TASKS)

test("it shares no code with this project's agent", () => {
  const imports = globSync('*.ts', { cwd: folder }).flatMap(file =>
    [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/\bfrom '([^']+)'/g)].map(([, path]) => path),
  )
  const others = imports.filter(path => !path?.startsWith('./') && !path?.startsWith('node:'))
  expect(imports.length).toBeGreaterThan(10)
  expect([...new Set(others)].sort()).toEqual(['mathjs', 'temporal-polyfill'])
})

test.for(tasks)('it answers: $input', ({ input, expect: expected }) => {
  const from = new Date()
  const { text: output } = answer(input, from, TOOLS)
  expect(judge(expected, { status: 'success', output }, { from, to: new Date() })).toEqual([])
})

test.for([
  ['What is 19 * 21?', '399'],
  ['What is 250 minus 9?', '241'],
  ['What is 30% of 90?', '27'],
  ['Convert 12 miles to km', '19.312128'],
  ['What day of the week was 20 July 1969?', 'Sunday'],
  ['When it is 08:30 on 2025-07-01 in Paris, what time is it in New York?', '02:30'],
  ['What date is 30 days before 2025-03-01?', '2025-01-30'],
])('it reads questions, and has no canned answers: %s', ([question, part]) => {
  expect(answer(question!, new Date(), TOOLS).text).toContain(part)
})

test.for(['Who wrote Hamlet?', 'What is 2 + ?', 'Tell me a joke', 'How many days until Easter?'])(
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

const third = fileURLToPath(new URL('third-agent', import.meta.url))

const commands: [string, ...string[]][] = [
  [`${folder}/main.ts --port `, '--token-env', 'AGENT_TOKENS'],
  [`${third}/agent.mjs `, '--tasks', `${third}/tasks.yaml`],
]

test.for(isAtLength ? commands : [])(
  'npm run staging:check starts it, and it passes: %s',
  async ([program, ...options]) => {
    const port = await freePort()
    const args = [`http://127.0.0.1:${port}`, '--start', `exec node ${program}${port}`, ...options]
    const { PATH } = process.env
    const child = spawn(process.execPath, [CHECK, ...args, '--json'], {
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
