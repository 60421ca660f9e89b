import type { AgentDefinition } from '@agent-task-service/engine'
import { defineAgent } from '@agent-task-service/engine'
import { inStudio } from '@agent-task-service/engine/studio'
import { testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { tool as sampleTool } from '@agent-task-service/test-support/sample-tools'
import { expect, test } from 'vitest'

/** The agent with parts that are closed by `close`. */
function owning(close: () => Promise<void> | void, way: symbol = Symbol.asyncDispose): AgentDefinition {
  return defineAgent({ ...agent, parts: parts => ({ ...parts, [way]: close }) })
}

// EVIDENCE-OF docs/guides/graph.md: A client that holds connections open, as a database's does, is closed when the service stops: give
//   what `createParts` returns a `Symbol.asyncDispose` or `Symbol.dispose`.
// EVIDENCE-OF docs/guides/tools.md: A client that holds connections open is closed when the service stops if the tool says how, as
//   parts do:
test.each([
  ['asyncDispose', Symbol.asyncDispose],
  ['dispose', Symbol.dispose],
])(
  'parts with Symbol.%s, and such a tool, are closed with the service, and a failure is one log line',
  async (_, way) => {
    const closed: string[] = []
    const tool = Object.assign(
      sampleTool('shop', () => 'open'),
      { [way]: () => void closed.push('tool') },
    )
    const fails = () => {
      closed.push('parts')
      throw new Error('the server is gone')
    }
    const { close, lines } = await testService(owning(fails, way), {
      env: { LOG_ERRORS: 'brief' },
      tools: [tool],
    })
    expect(closed).toEqual([])
    await close()
    expect(closed).toEqual(['parts', 'tool'])
    expect(lines).toMatchObject([{ level: 'warn', msg: 'not disposed', what: 'parts' }])
    expect(JSON.stringify(lines)).not.toContain('the server is gone')
  },
)

// EVIDENCE-OF docs/guides/graph.md: A client that holds connections open, as a database's does, is closed when the service stops: give
//   what `createParts` returns a `Symbol.asyncDispose` or `Symbol.dispose`.
test('parts that never close hold the service up for 5 s', async () => {
  const { close, lines } = await testService(owning(() => new Promise(() => {})))
  const time = fakeTime()
  let isClosed = false
  const closing = close().then(() => {
    isClosed = true
  })
  await time.pass(4_999)
  expect(isClosed).toBe(false)
  await time.pass(1)
  await closing
  expect(lines).toMatchObject([{ msg: 'not disposed', err: { message: 'took longer than 5 s' } }])
})

// EVIDENCE-OF docs/guides/graph.md: A client that holds connections open, as a database's does, is closed when the service stops: give
//   what `createParts` returns a `Symbol.asyncDispose` or `Symbol.dispose`.
test('parts are closed when Studio is told to stop', async () => {
  const before = process.listeners('SIGTERM')
  const closed = Promise.withResolvers<void>()
  await inStudio(owning(closed.resolve), { LOG_LEVEL: 'silent' })
  const [stop] = process.listeners('SIGTERM').filter(listener => !before.includes(listener))
  process.off('SIGTERM', stop!)
  stop!('SIGTERM')
  await closed.promise
})

test('a graph that needs parts of its own is offered them by a function that makes them', () => {
  defineAgent({
    ...agent,
    parts: parts => ({ ...parts, shop: 'open' }),
    graph: parts => agent.graph({ ...parts, systemPrompt: parts.shop }, {}),
  })
  defineAgent({
    ...agent,
    parts: undefined,
    // @ts-expect-error: nobody makes the shop
    graph: parts => agent.graph({ ...parts, systemPrompt: parts.shop }, {}),
  })
})
