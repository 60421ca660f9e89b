import { expect, test } from 'vitest'
import { httpPeer } from '../../support/mcp/http-peer.ts'
import { listed } from '../../support/mcp/peer.ts'
import { mcpService } from '../../support/mcp/service.ts'
import { OWN_TOOLS } from '../../support/own-tools.ts'
import { until } from '../../support/until.ts'

const USE = 'Use two__echo with {"a": 1}'
const two = { enabled_tools: ['two__echo'] }

test('enabled_tools follows the servers that come and go', async () => {
  const peer = await httpPeer({})
  const { run, lines } = await mcpService({ two: { url: peer.url } })
  expect(await run(USE, two)).toMatchObject({ status: 'success', output: '{"a":1}' })
  await peer.close()
  await until(() => lines.some(({ msg }) => msg === 'mcp server lost'))
  expect(await run(USE, two)).toMatchObject({
    status: 'error',
    error: expect.stringContaining(`expected one of ${OWN_TOOLS.join(', ')}, got the string "two__echo"`),
  })
  expect(await run(USE)).toMatchObject({ error: expect.stringContaining('needs the tool two__echo') })
  expect(await run('What is 6*7?')).toMatchObject({ status: 'success' })
  await httpPeer({}, peer.port)
  const connected = () => lines.filter(({ msg }) => msg === 'mcp server connected')
  await until(() => connected().length === 2)
  expect(await run(USE, two)).toMatchObject({ status: 'success', output: '{"a":1}' })
  expect(connected()[1]).toMatchObject({ level: 'info', server: 'two', tools: 1 })
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
