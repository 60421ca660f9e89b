import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { listed } from '@agent-task-service/test-support/mcp/peer'
import { program, started } from '@agent-task-service/test-support/mcp/started'
import { until } from '@agent-task-service/test-support/until'
import { expect, onTestFinished, test } from 'vitest'

/** A path where nothing exists yet. */
async function freshFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'gate')
}

test('a program that is not installed says so, and affects nothing else', async () => {
  const missing = { ...program('missing'), command: '/no/such/program' }
  const { reports, names } = await started([missing, program('one')])
  expect(reports).toContainEqual({ type: 'failed', server: 'missing', reason: 'ENOENT', isRepeated: false })
  expect(names()).toContain('one__echo')
})

test('offers an address where nobody listens at start once someone does', async () => {
  const first = await httpPeer({})
  await first.close()
  const { reports, names, call } = await started([first.settings('two')])
  expect(reports[0]).toEqual({ type: 'failed', server: 'two', reason: 'ECONNREFUSED', isRepeated: false })
  await until(() => reports.length > 1)
  expect(reports[1]).toMatchObject({ type: 'failed', isRepeated: true })
  await httpPeer({}, first.port)
  await until(() => names().length > 0)
  expect(await call('two__echo')).toBe('{}')
})

test('a slow program does not delay the start, and is offered when it is ready', async () => {
  const gate = await freshFile()
  const slow = program('slow', [`--waits-for=${gate}`])
  const { names, events } = await started([slow], { startTimeoutMs: 1 })
  expect(events).toEqual(['late slow'])
  await writeFile(gate, '')
  await until(() => names().includes('slow__echo'))
})

test('starts servers in parallel', async () => {
  // Each waits until the other is called: in sequence, neither would start.
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const peerOf = (own: number) =>
    httpPeer({
      async list() {
        gates[own]!.resolve()
        await gates[1 - own]!.promise
        return { tools: [listed('echo')] }
      },
    })
  const peers = [await peerOf(0), await peerOf(1)]
  const { names } = await started(peers.map((peer, index) => peer.settings(`peer${index}`)))
  expect(names()).toEqual(['peer0__echo', 'peer1__echo'])
})

test('a program that dies during a call fails the call, and comes back', async () => {
  const { names, events, call } = await started([program('one')])
  const before = await call('one__pid')
  await expect(call('one__exit')).rejects.toThrow('MCP server one gave no usable answer (connection closed)')
  await until(() => events.length === 3 && names().length > 0)
  expect(events).toEqual(['connected one 7', 'lost one', 'connected one 7'])
  expect(await call('one__pid')).not.toBe(before)
})

test("does not offer a server's tools while it is down", async () => {
  const peer = await httpPeer({})
  const { names, knownNames, call, events, reports } = await started([peer.settings('two'), program('one')])
  await peer.close()
  await until(() => !names().includes('two__echo'))
  expect(names()).toContain('one__echo')
  // A request may still name them.
  expect(knownNames()).toContain('two__echo')
  await expect(call('two__echo')).rejects.toThrow('the MCP server two is away. It may be back soon')
  await until(() => reports.some(({ type }) => type === 'failed'))
  expect(events).toContain('lost two')
  await httpPeer({}, peer.port)
  await until(() => names().includes('two__echo'))
})

test('offers changed tools as they are now', async () => {
  let tools = [listed('old')]
  const peer = await httpPeer({ list: () => ({ tools }) })
  const { names, events } = await started([peer.settings('two')])
  tools = [listed('new'), listed('newer')]
  peer.notify('notifications/tools/list_changed')
  await until(() => names().includes('two__new'))
  expect(names()).toEqual(['two__new', 'two__newer'])
  expect(events).toEqual(['connected two 1', 'changed two 2'])
})

test('reads a list that never stops changing', async () => {
  let tools = [listed('old')]
  const peer = await httpPeer({ list: () => ({ tools }) })
  const { names } = await started([peer.settings('two')])
  tools = [listed('new')]
  const changes = setInterval(() => peer.notify('notifications/tools/list_changed'), 100)
  onTestFinished(() => clearInterval(changes))
  await until(() => names().includes('two__new'))
})

test('does not wait for a server to end a session that is lost', async () => {
  let tools: unknown = [listed('echo')]
  const peer = await httpPeer({ neverEnds: true, list: () => ({ tools }) })
  const { names, events } = await started([peer.settings('two')])
  tools = 'none'
  peer.notify('notifications/tools/list_changed')
  await until(() => events.includes('lost two'))
  tools = [listed('echo')]
  await until(() => names().length > 0)
})

test.each(['one', 'two'])('cancels an abandoned call to %s there too', async name => {
  const methods: (string | undefined)[] = []
  const asked = Promise.withResolvers<void>()
  const peer = await httpPeer({
    onMessage: ({ method }) => void methods.push(method),
    call: () => {
      asked.resolve()
      return new Promise(() => {})
    },
  })
  const { call } = await started([program('one'), peer.settings('two')])
  const controller = new AbortController()
  const tool = name === 'one' ? 'one__hang' : 'two__echo'
  const hanging = call(tool, {}, controller.signal)
  if (name === 'two') await asked.promise
  controller.abort(new Error('given up'))
  await expect(hanging).rejects.toThrow('given up')
  if (name === 'two') await until(() => methods.includes('notifications/cancelled'))
  // The connection stays open.
  if (name === 'one') expect(await call('one__echo')).toBe('{}')
})

test('closing ends connections still being made', async () => {
  const gate = await freshFile()
  const { close, events } = await started([program('slow', [`--waits-for=${gate}`])], { startTimeoutMs: 0 })
  await close()
  expect(events).toEqual(['late slow'])
})
