import { type CheckOptions, runChecks } from '@agent-task-service/rehearsal/checks'
import { some } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { parseJson } from '@agent-task-service/wire/untrusted'
import { describe, expect, test } from 'vitest'
import { assertionsOf } from './faulty-agents/expect.ts'

const WELL = { status: 'ok', agent_id: 'agent-7', agent_name: 'Scripted' }

/** Serves an agent that answers every task with this text after so many seconds, and checks it. */
async function examined(
  options: Partial<CheckOptions>,
  { status = 200, seconds = 0 } = {},
  time = fakeTime(),
) {
  const { url } = await scriptedAgent(({ path, body }, response) => {
    const { task_id = '' } = (parseJson(String(body)) ?? {}) as { task_id?: string }
    const isHealth = path === '/health'
    response.writeHead(isHealth ? 200 : status, { 'content-type': 'application/json' })
    const done = status === 200 ? success(task_id, 'Our opening hours are') : {}
    const reply = JSON.stringify(isHealth ? WELL : done)
    setTimeout(() => response.end(reply), isHealth ? 0 : 1000 * seconds)
  })
  const limits = { logSettleMs: 50, logLateMs: 0, healthPolls: 2, ...options.limits }
  const report = await time.until(
    runChecks({ url, agentId: 'agent-7', only: ['result'], ...options, limits }),
  )
  const { cause, unseen } = report
  const details = assertionsOf(report).map(({ detail, how }) => `${detail} ${how}`)
  return { url, unseen: unseen!, cause, details: [...new Set(details)] }
}

const log = { name: 'the log', read: async () => '' }
const start = { readyMs: 1, log, secrets: new Map<string, string>() }
/** Nobody listens there. */
const outsideUrls = ['http://127.0.0.1:1']

/** Where a report may say how to see more, and what the dashboard's says. */
const ROWS: [
  what: string,
  options: Partial<CheckOptions>,
  agent: { status?: number; seconds?: number },
  said: (url: string) => string,
][] = [
  ['tasks of its own', {}, {}, () => 'npm run staging -- --tasks FILE'],
  ['its token', { only: ['run'] }, { status: 401 }, () => 'STAGING_AGENT_TOKEN_7 of npm run staging;'],
  [
    'more time',
    { only: ['run'], limits: { leastTotalMs: 300 } },
    { status: 500, seconds: 1 },
    () => 'for all checks were over (npm run staging:check can be given more)',
  ],
  [
    'another log',
    { only: ['logs'], log },
    {},
    url => `may log elsewhere (npm run staging -- 'agent-7=${url} log=FILE')`,
  ],
  [
    'its image',
    { only: ['limits'], start: { ...start, outsideUrls } },
    {},
    url => `name its image: npm run staging -- 'agent-7=${url} image=NAME')`,
  ],
  [
    'a slow start',
    { only: ['limits'], start: { ...start, readyMs: 60_000 } },
    {},
    () => 'npm run staging:check',
  ],
]

/** Options of the command, and none of `curl` or of what the dashboard's user can say. */
const OPTION = /--(log|image|start|stall|token-env|minutes|concurrency|only)\b|(?<!staging -- )--tasks/

describe.each(some(ROWS, 6))('%s', (_what, options, agent, said) => {
  test('the report of the dashboard says what its user can do, and names no option of the command', async () => {
    const { url, cause, unseen, details } = await examined({ ...options, askedBy: 'dashboard' }, agent)
    const all = [cause, ...unseen, ...details].join('\n')
    expect(all).toContain(said(url))
    expect(all).not.toMatch(OPTION)
  })

  test('the report of the command names its options', async () => {
    const { cause, unseen, details } = await examined(options, agent)
    const all = [cause, ...unseen, ...details].join('\n')
    expect(all).toMatch(OPTION)
    expect(all).not.toContain('npm run staging --')
  })
})

test('what was not seen is told with how each asker can have it seen', async () => {
  const time = fakeTime()
  const ofDashboard = await examined({ askedBy: 'dashboard' }, {}, time)
  expect(ofDashboard.unseen).toEqual([
    `its log (npm run staging -- 'agent-7=${ofDashboard.url} log=FILE')`,
    'its start, its shutdown and the secrets in its environment (npm run staging:check can start and end it)',
    'a run without a model (npm run staging:check can take its model away)',
    `its image (npm run staging -- 'agent-7=${ofDashboard.url} image=NAME')`,
    expect.stringMatching(/^the staging route/),
    'whether it asks for its token (STAGING_AGENT_TOKEN_7 of npm run staging)',
  ])
  // The platform has started it, and does not end it.
  const started = await examined({ askedBy: 'dashboard', start, token: 'token-of-seven' }, {}, time)
  expect(started.unseen.slice(0, 2)).toEqual([
    'its shutdown (npm run staging:check can start and end it)',
    'a run without a model (npm run staging:check can take its model away)',
  ])
  const ofCommand = await examined({}, {}, time)
  expect(ofCommand.unseen[0]).toBe('its log (--log FILE)')
})

test('an address with a quote stays within the command that is suggested', async () => {
  const { unseen } = await examined({ askedBy: 'dashboard', url: "http://127.0.0.1:9/it's" })
  expect(unseen[0]).toBe(`its log (npm run staging -- 'agent-7=http://127.0.0.1:9/it'\\''s log=FILE')`)
})
