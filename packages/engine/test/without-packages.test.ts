import { testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { expect, test } from 'vitest'

/** The agent without the packages for more that it names. */
const { moreTools: _, ...bare } = agent

test('it starts, answers and closes', async () => {
  const { run, lines, close } = await testService(bare)
  expect(await run('What is 15% of 240?')).toMatchObject({ status: 'success', output: '15% of 240 = 36' })
  await close()
  expect(lines.map(({ msg }) => msg)).toEqual(['run'])
})

const packages: [variable: string, value: string, add: string][] = [
  ['MCP_CONFIG', '/no/such/mcp.json', 'moreTools: [mcp()] from @agent-task-service/mcp'],
]

test.each(packages)('%s=%s: it starts, and one line says what to add', async (name, value, add) => {
  const { lines } = await testService(bare, { env: { [name]: value } })
  const msg = `${name} is not read: src/agent.ts names no package for it; add ${add}`
  expect(lines).toEqual([expect.objectContaining({ level: 'warn', msg })])
  expect((await testService(bare, { env: { [name]: ' ' } })).lines).toEqual([])
})
