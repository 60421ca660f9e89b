import { program } from '@agent-task-service/test-support/mcp/programs'
import { mcpFile } from '@agent-task-service/test-support/mcp/service'
import { startProcess } from '@agent-task-service/test-support/process'
import { until } from '@agent-task-service/test-support/until'
import { expect, test } from 'vitest'

async function outputOf(post: (body: unknown) => Promise<Response>, input: string): Promise<string> {
  const reply = (await (await post({ task_id: 'test-1', input })).json()) as {
    status: string
    output: string
  }
  expect(reply.status).toBe('success')
  return reply.output
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

// EVIDENCE-OF docs/configuration.md: | `MCP_CONFIG` |
test.each(['SIGTERM', 'SIGKILL'] as const)('as shipped: a program serves, and exits on %s', async signal => {
  const { command, args } = program()
  const path = await mcpFile({ one: { command, args, env: { KEY: '$' + '{SHOP_KEY}' } } })
  const env = { MCP_CONFIG: path, SHOP_KEY: 'shop-key-of-mine', PATH: process.env.PATH ?? '' }
  const { post, child, exited, line, output } = await startProcess(env)
  expect(await line(({ msg }) => msg === 'mcp server connected')).toMatchObject({ server: 'one', tools: 7 })
  expect(JSON.parse(await outputOf(post, 'Use one__env with {}'))).toMatchObject({ KEY: '[redacted]' })
  await outputOf(post, 'Use one__noise with {}')
  const pid = Number(await outputOf(post, 'Use one__pid with {}'))
  expect(isRunning(pid)).toBe(true)
  child.kill(signal)
  expect(await exited).toBe(signal === 'SIGTERM' ? 0 : 'SIGKILL')
  await until(() => !isRunning(pid))
  expect(output.join()).not.toMatch(/shop-key|hunter2/)
})

test('a program that refuses to exit does not delay the exit, and exits all the same', async () => {
  const { command, args } = program('--stubborn')
  const path = await mcpFile({ stubborn: { command, args } })
  const { post, child, exited, line } = await startProcess({ MCP_CONFIG: path })
  await line(({ msg }) => msg === 'mcp server connected')
  const pid = Number(await outputOf(post, 'Use stubborn__pid with {}'))
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
  await until(() => !isRunning(pid))
})
