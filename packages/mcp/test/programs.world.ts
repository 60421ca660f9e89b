import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { some } from '@agent-task-service/test-support/at-length'
import { FLOODS } from '@agent-task-service/test-support/mcp/floods'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { newProgram, program } from '@agent-task-service/test-support/mcp/programs'
import { mcpTools, startingTools } from '@agent-task-service/test-support/mcp/service'
import { until } from '@agent-task-service/test-support/until'
import { expect, onTestFinished, test } from 'vitest'

type Lines = readonly Record<string, unknown>[]

const CLOSED = 'MCP server one gave no usable answer (connection closed)'

/** A path where nothing exists yet. */
async function freshFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'gate')
}

/** Waits for the first loss of a connection. */
async function lossIn(lines: Lines) {
  const loss = () => lines.find(({ msg }) => /^mcp server (lost|failed)$/.test(String(msg)))
  await until(() => loss() !== undefined)
  return loss()
}

test('a slow program does not delay the start, and is offered when it is ready', async () => {
  const gate = await freshFile()
  const { names, events } = await startingTools({ slow: program(`--waits-for=${gate}`) })
  expect(events()).toEqual(['not ready slow'])
  await writeFile(gate, '')
  await until(() => events().length > 1)
  expect(await names()).toContain('slow__echo')
})

test('closing ends connections still being made', async () => {
  const gate = await freshFile()
  const { close, events } = await startingTools({ slow: program(`--waits-for=${gate}`) })
  await close()
  expect(events()).toEqual(['not ready slow'])
})

test('a program that dies during a call fails the call, and comes back', async () => {
  const { events, call } = await mcpTools({ one: program() })
  const before = await call('one__pid')
  expect(await call('one__exit')).toContain(CLOSED)
  await until(() => events().length === 3)
  expect(events()).toEqual(['connected one 7', 'lost one', 'connected one 7'])
  expect(await call('one__pid')).not.toBe(before)
})

test.each([
  ['the new protocol alone', []],
  ['both protocols', ['--both']],
])('a program of %s: calls, a list that changes, a death', async (_what, options) => {
  const { call, names, events } = await mcpTools({ one: newProgram(...options) })
  expect(await call('one__echo', { a: 1 })).toBe('{"a":1}')
  await call('one__grow')
  await until(() => events().length === 2)
  expect(await names()).toContain('one__grown')
  const before = await call('one__pid')
  expect(await call('one__exit')).toContain(CLOSED)
  await until(() => events().length === 4)
  expect(events()).toEqual(['connected one 5', 'changed one 6', 'lost one', 'connected one 5'])
  expect(await call('one__pid')).not.toBe(before)
})

test('a program of the old protocol may exit when asked for the new one', async () => {
  const { events, call } = await mcpTools({ one: program('--strict') })
  expect(events()).toEqual(['connected one 7'])
  expect(await call('one__echo')).toBe('{}')
})

test.each([
  ['the old protocol', program()],
  ['the new protocol', newProgram()],
])('cancels an abandoned call to a program of %s, whose connection stays open', async (_what, settings) => {
  const { call, events } = await mcpTools({ one: settings })
  const hangUp = new AbortController()
  const hanging = call('one__hang', {}, hangUp.signal).catch(() => 'hung up')
  hangUp.abort()
  await hanging
  expect(await call('one__echo')).toBe('{}')
  expect(events()).toHaveLength(1)
})

// EVIDENCE-OF docs/reference/threat-model.md: What it sends is counted before it is parsed, and a flood ends its connection
test.each(some([...Object.keys(FLOODS), 'one line'], 4))(
  'a program that writes %s without end loses its connection',
  async kind => {
    const honest = await httpPeer()
    const { lines, call } = await mcpTools({
      one: program(`--floods-with=${kind}`),
      two: { url: honest.url },
    })
    const reason = expect.stringMatching(/^it (sends|asks) too much$/)
    expect(await lossIn(lines)).toMatchObject({ server: 'one', reason })
    expect(await call('two__echo', { a: 1 })).toBe('{"a":1}')
  },
)

test('a program may ask some things', async () => {
  const { events, call } = await mcpTools({ one: program('--asks=30') })
  expect(await call('one__echo')).toBe('{}')
  expect(events()).toEqual(['connected one 7'])
})

test('a program that asks 200 things loses its connection', async () => {
  const { lines } = await mcpTools({ one: program('--asks=200') })
  expect(await lossIn(lines)).toMatchObject({ reason: 'it asks too much' })
})

test('a program that does not read loses its connection', async () => {
  const { lines, call } = await mcpTools({ one: program('--deaf') })
  const large = { text: 'x'.repeat(6 * 2 ** 20) }
  const read = await Promise.all([1, 2, 3].map(() => call('one__echo', large)))
  for (const text of read) expect(text).toMatch(/^Error: /)
  expect(await lossIn(lines)).toMatchObject({ reason: 'it does not read' })
})

test('a program may be sent several large calls at once', async () => {
  const { call, events } = await mcpTools({ one: program() })
  const large = { text: 'x'.repeat(3 * 2 ** 20) }
  const read = await Promise.all([1, 2, 3].map(() => call('one__echo', large)))
  for (const text of read) expect(text).toMatch(/^\{"text":"x{10000}/)
  expect(events()).toEqual(['connected one 7'])
})

test('many messages while a call is in progress are none too many, nor is noise between the messages', async () => {
  const { call, events } = await mcpTools({ one: program() })
  expect(await call('one__noise', { lines: 5_000 })).toBe('noisy')
  expect(await call('one__echo')).toBe('{}')
  expect(events()).toHaveLength(1)
})

test('a result of 11 MB fails the call; the program is available afterwards', async () => {
  const { call, events } = await mcpTools({ one: program() })
  expect(await call('one__flood', { length: 11 * 2 ** 20 })).toContain('no usable answer')
  await until(() => events().length === 3)
  expect(await call('one__echo')).toBe('{}')
})
