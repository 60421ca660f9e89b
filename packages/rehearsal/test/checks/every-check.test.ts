import { groups, runChecks } from '@agent-task-service/rehearsal/checks'
import { fakeKey } from '@agent-task-service/rehearsal/secrets'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { expect, onTestFinished, test } from 'vitest'
import { listeningAgent } from '../checked-agent.ts'
import { assertionsOf } from './faulty-agents/expect.ts'
import { ROOMY } from './faulty-agents/limits.ts'
import { startPlatformOfChecks } from './platform-of-checks.ts'

// 3 s of processor time, of which a busy machine gives little.
test('this agent passes every check that can be made', { timeout: 240_000 }, async () => {
  const token = fakeKey()
  const { url, log } = await listeningAgent({ AGENT_TOKENS: token, AGENT_ID: 'agent-7' })
  const platform = await startPlatformOfChecks({ id: 'agent-7', url, token })
  onTestFinished(() => platform.close())
  const secrets = new Map([['AGENT_TOKENS', token]])
  const end = async () => ({ how: 'exit code 0', clean: true })
  const report = await fakeTime().until(
    runChecks({
      url,
      token,
      agentId: 'agent-7',
      platform,
      start: { readyMs: 400, log, secrets, end },
      limits: ROOMY,
    }),
  )
  const notPassed = assertionsOf(report).filter(({ verdict }) => verdict !== 'pass')
  expect(
    notPassed.map(({ id, mandatory }) => [id, mandatory]),
    JSON.stringify(notPassed, undefined, 1),
  ).toEqual([
    ['run.letters', false],
    ['run.lines', false],
    ['run.disabled_tools', false],
    ['run.no_tools', false],
  ])
  expect(report).toMatchObject({ url, agentId: 'agent-7', verdict: 'passed' })
  expect(report.groups.map(({ id, state }) => [id, state])).toEqual(groups.map(({ id }) => [id, 'done']))
  expect(JSON.stringify(report)).not.toContain(token)
  expect(JSON.stringify(report)).not.toContain(platform.token)
})
