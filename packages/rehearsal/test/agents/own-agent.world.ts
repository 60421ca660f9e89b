import { readFileSync } from 'node:fs'
import {
  AgentClient,
  healthViolations,
  plantSecrets,
  runViolations,
  startOwnAgent,
} from '@agent-task-service/rehearsal/agents'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { PROCESS_ENTRY } from '@agent-task-service/test-support/process'
import { until } from '@agent-task-service/test-support/until'
import { expect, test } from 'vitest'
import { newFile } from '../new-file.ts'
import { task } from '../platform.ts'

test('starts this agent with fake secrets; it serves, and exits on request', async () => {
  const file = await newFile('logs/agent.log')
  const port = await heldPort()
  const url = `http://127.0.0.1:${port}`
  const planted = plantSecrets({ PATH: process.env.PATH, AGENT_ID: 'agent-3', TEST_PORT: String(port) })
  const agent = await startOwnAgent(planted, { logFile: file, url, entry: PROCESS_ENTRY })
  const { start } = agent
  expect(agent.id).toBe('agent-3')
  const real = [...start.secrets.keys()].filter(name => !name.startsWith('REHEARSAL_'))
  expect(real).toEqual(['OPENAI_API_KEY', 'TAVILY_API_KEY', 'BRAVE_API_KEY', 'AGENT_TOKENS'])
  expect(start.readyMs).toBeGreaterThan(0)
  const client = new AgentClient(agent)
  expect(healthViolations(await client.health({ timeoutMs: 20_000 }))).toEqual([])
  const exchange = await client.run(task(), { timeoutMs: 20_000 })
  expect(runViolations(exchange, { taskId: 'test-1' })).toEqual([])
  expect(exchange.json).toMatchObject({ status: 'success', output: expect.stringContaining('42') })
  const stranger = new AgentClient({ url: agent.url })
  expect((await stranger.run(task(), { timeoutMs: 20_000 })).status).toBe(401)
  // Another one that finds the port taken leaves it its log.
  await expect(startOwnAgent(planted, { logFile: file, url, entry: PROCESS_ENTRY })).rejects.toThrow(
    'in use by agent-3',
  )
  await agent.process.end()
  expect(await agent.process.ended).toBe('exit code 0')
  const log = await start.log.read()
  expect(log).toMatch(/"msg":"listening"/)
  expect(log).toMatch(/"task_id":"test-1"/)
  // The last lines of the copy may still be arriving.
  await until(() => readFileSync(file, 'utf8') === log)
})

test('an agent that does not start says why, without secrets', async () => {
  const planted = plantSecrets({ PATH: process.env.PATH, AGENT_ID: 'seven', LOG_LEVEL: 'loud' })
  const url = `http://127.0.0.1:${await heldPort()}`
  await expect(
    startOwnAgent(planted, { logFile: await newFile('logs/agent.log'), url, entry: PROCESS_ENTRY }),
  ).rejects.toThrow(
    /^exit code 1\. Its last lines: the environment is not valid:\n {2}AGENT_ID: expected agent-<number>, got "seven"\n {2}LOG_LEVEL/,
  )
})
