import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { listed } from '@agent-task-service/test-support/mcp/peer'
import { mcpService } from '@agent-task-service/test-support/mcp/service'
import { asks, call, says, toolTexts } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { OWN_TOOLS } from '@agent-task-service/test-support/own-tools'
import { until } from '@agent-task-service/test-support/until'
import { expect, test } from 'vitest'

const USE = 'Use two__echo with {"a": 1}'
const two = { enabled_tools: ['two__echo'] }

test('enabled_tools follows the servers that come and go', async () => {
  const peer = await httpPeer({})
  const { run, lines } = await mcpService({ two: { url: peer.url } })
  expect(await run(USE, two)).toMatchObject({ status: 'success', output: '{"a":1}' })
  await peer.close()
  await until(() => lines.some(({ msg }) => msg === 'mcp server lost'))
  // A request that names the tool may try, and reads why in vain; to others it is not offered.
  expect(await run(USE, two)).toMatchObject({
    status: 'error',
    error: expect.stringContaining('the MCP server two is away. It may be back soon'),
  })
  expect(await run(USE)).toMatchObject({ error: expect.stringContaining('needs the tool two__echo') })
  expect(await run('What is 6*7?')).toMatchObject({ status: 'success' })
  await httpPeer({}, peer.port)
  const connected = () => lines.filter(({ msg }) => msg === 'mcp server connected')
  await until(() => connected().length === 2)
  expect(await run(USE, two)).toMatchObject({ status: 'success', output: '{"a":1}' })
  expect(connected()[1]).toMatchObject({ level: 'info', server: 'two', tools: 1 })
})

test('a tool that its server has no longer when it is back is unknown from then on', async () => {
  const peer = await httpPeer({})
  const { run, lines } = await mcpService({ two: { url: peer.url } })
  await peer.close()
  await until(() => lines.some(({ msg }) => msg === 'mcp server lost'))
  await httpPeer({ list: () => ({ tools: [listed('other')] }) }, peer.port)
  await until(() => lines.filter(({ msg }) => msg === 'mcp server connected').length === 2)
  expect(await run(USE, two)).toMatchObject({
    status: 'error',
    error: expect.stringContaining(
      `expected one of ${OWN_TOOLS.join(', ')}, two__other, got the string "two__echo"`,
    ),
  })
})

test('a model that calls a tool whose server has just gone reads that it is away', async () => {
  const peer = await httpPeer({})
  const lost = Promise.withResolvers<void>()
  let requests = 0
  const model = await openAIServer(async () => {
    requests += 1
    if (requests > 1) return says('Done.')
    await peer.close()
    await lost.promise
    return asks([call('two__echo', { a: 1 })])
  })
  const { run, lines } = await mcpService({ two: { url: peer.url } }, model.env)
  const reply = run('Go on')
  await until(() => lines.some(({ msg }) => msg === 'mcp server lost'))
  lost.resolve()
  expect(await reply).toMatchObject({ status: 'success', output: 'Done.' })
  expect(toolTexts(model.requests[1]!)).toEqual([
    expect.stringContaining('Error: the MCP server two is away. It may be back soon'),
  ])
})

test('logs what servers do, in our own words', async () => {
  const peer = await httpPeer({
    list: () => ({ tools: [listed('echo'), listed('bad', { type: 'hunter2' })] }),
  })
  const gone = await httpPeer({})
  await gone.close()
  const { lines } = await mcpService({ two: { url: peer.url }, gone: { url: gone.url } })
  expect(lines.toSorted((a, b) => String(a.server).localeCompare(String(b.server)))).toMatchObject([
    { level: 'warn', msg: 'mcp server failed', server: 'gone', reason: 'ECONNREFUSED' },
    {
      level: 'warn',
      msg: 'mcp server connected',
      server: 'two',
      tools: 1,
      refused: 1,
      refused_tools: ['two__bad: bad schema'],
    },
  ])
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})
