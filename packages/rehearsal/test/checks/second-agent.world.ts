import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Report } from '@agent-task-service/rehearsal/report'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { expect, onTestFinished, test } from 'vitest'

const CHECK = fileURLToPath(new URL('../../check.ts', import.meta.url))
const folder = fileURLToPath(new URL('second-agent', import.meta.url))

/** What both agents can do. */
const TASKS = fileURLToPath(new URL('third-agent/tasks.yaml', import.meta.url))
const third = fileURLToPath(new URL('third-agent', import.meta.url))

const agents: [name: string, program: string, ...options: string[]][] = [
  ['the second agent', `${folder}/main.ts --port `, '--token-env', 'AGENT_TOKENS'],
  ['the third agent', `${third}/agent.mjs `],
]

// EVIDENCE-OF README.md [npm run staging:check starts it, and it passes: the second agent]: The checks take the address of any
//   agent, in any language.
// EVIDENCE-OF README.md [npm run staging:check starts it, and it passes: the third agent]: The checks take the address of any
//   agent, in any language.
test.for(agents)(
  'npm run staging:check starts it, and it passes: %s',
  async ([_name, program, ...options]) => {
    const port = await heldPort()
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
