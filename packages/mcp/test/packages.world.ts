import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { mcpService } from '@agent-task-service/test-support/mcp/service'
import { asks, call, says, toolTexts, type WireCall } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { expect, onTestFinished, test } from 'vitest'

const require = createRequire(import.meta.url)
const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')

/** A service with these MCP servers, whose model makes these calls. */
async function service(mcpServers: object, calls: readonly WireCall[], env: Record<string, string> = {}) {
  const model = await openAIServer(inTurn(asks(calls), says('Done.')))
  return { ...(await mcpService(mcpServers, { ...model.env, ...env })), requests: model.requests }
}

/** The packaged reference server, over streamable HTTP. */
async function everythingOverHttp(): Promise<string> {
  const port = await heldPort()
  const child = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: child.stderr }), 'line')
  expect(line).toContain('listening')
  return `http://127.0.0.1:${port}/mcp`
}

const transports: [name: string, settings: () => Promise<object>][] = [
  ['stdio', async () => ({ command: process.execPath, args: [everything] })],
  ['streamable HTTP', async () => ({ url: await everythingOverHttp() })],
]

test.each(transports)('the reference server over %s', async (_name, settings) => {
  const { run, requests, lines } = await service({ every: await settings() }, [
    call('every__echo', { message: 'hello' }),
    call('every__get-sum', { a: 2, b: 3 }),
    call('every__get-structured-content', { location: 'New York' }),
    call('every__get-tiny-image', {}),
    call('every__get-sum', { a: 'two' }),
    call('calculator', { expression: '6*7' }),
  ])
  const enabled_tools = ['echo', 'get-sum', 'get-structured-content', 'get-tiny-image'].map(
    name => `every__${name}`,
  )
  const reply = await run('Go on', { enabled_tools: [...enabled_tools, 'calculator'] })
  expect(reply).toMatchObject({ status: 'success', output: 'Done.', metrics: { steps: 8 } })
  const offered = requests[0]!.body.tools as { function: { name: string; parameters: object } }[]
  expect(offered.map(tool => tool.function.name).sort()).toEqual(['calculator', ...enabled_tools].sort())
  expect(offered.find(tool => tool.function.name === 'every__get-sum')?.function.parameters).toMatchObject({
    type: 'object',
    properties: { a: { type: 'number', description: expect.any(String) }, b: { type: 'number' } },
    required: ['a', 'b'],
  })
  expect(toolTexts(requests[1]!)).toEqual([
    'Echo: hello',
    'The sum of 2 and 3 is 5.',
    expect.stringMatching(/^\{"temperature":\d+/),
    expect.stringContaining('[image of type image/png, not shown]'),
    expect.stringMatching(/^Error: The MCP tool returned an error: .*number/s),
    '6 * 7 = 42',
  ])
  const connected = { msg: 'mcp server connected', server: 'every', tools: 12 }
  expect(lines).toContainEqual(expect.objectContaining(connected))
})
