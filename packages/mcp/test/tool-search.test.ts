import type { GraphParts } from '@agent-task-service/engine'
import { type ModelRequest, ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { countTokens } from '@agent-task-service/engine/tokens'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { listed, text } from '@agent-task-service/test-support/mcp/peer'
import { mcpFile, mcpService } from '@agent-task-service/test-support/mcp/service'
import { asks, call, says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { OWN_TOOLS } from '@agent-task-service/test-support/own-tools'
import type { ServiceOptions } from '@agent-task-service/test-support/service'
import { tool } from '@langchain/core/tools'
import { createAgent } from 'langchain'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const KINDS = [
  'invoice',
  'customer',
  'order',
  'ticket',
  'contract',
  'parcel',
  'claim',
  'quote',
  'refund',
  'lead',
]
const ACTS = [
  'create',
  'list',
  'delete',
  'archive',
  'export',
  'assign',
  'merge',
  'print',
  'verify',
  'escalate',
]
const HUNDRED = KINDS.flatMap(kind =>
  ACTS.map(act => ({
    ...listed(`${act}_${kind}`, { type: 'object', properties: { [`${kind}_id`]: { type: 'string' } } }),
    description: `${act}s one ${kind} of the ledger. ${'Details follow. '.repeat(6)}`,
  })),
)

/** A service with a server of these tools, and the model that it asks. */
async function serving(
  tools: readonly object[],
  script: ConstructorParameters<typeof ScriptedModel>[0],
  env: Record<string, string> = {},
  own: ServiceOptions = {},
) {
  const peer = await httpPeer({ list: () => ({ tools }), call: name => text(`ran ${name}`) })
  const model = new ScriptedModel(script)
  const { run, lines } = await mcpService({ erp: { url: peer.url } }, env, {
    models: [model.named()],
    ...own,
  })
  return { run, lines, requests: model.requests, toolsIn: (nth: number) => model.requests.at(nth)!.tools }
}

const search = (query: string) => ({ toolCalls: [{ name: 'find_tools', args: { query } }] })
const calls = (name: string) => ({ toolCalls: [{ name }] })
const ALWAYS = [...OWN_TOOLS, 'find_tools']
const result = ({ messages }: ModelRequest) => messages.at(-1)!.text
/** The names in what a search gave. */
const namesIn = (text: string) => text.match(/^\w+(?=:)/gm) ?? []

test('a model finds a tool by words, and has it in its next calls', async () => {
  const script = [search('archive a ticket'), calls('erp__archive_ticket'), 'Archived.']
  const { run, requests, toolsIn, lines } = await serving(HUNDRED, script)
  expect(await run('Archive it.')).toMatchObject({ output: 'Archived.', metrics: { steps: 5 } })
  expect(toolsIn(0)).toEqual(ALWAYS)
  const found = namesIn(result(requests[1]!))
  expect(found[0]).toBe('erp__archive_ticket')
  expect(toolsIn(1).toSorted()).toEqual([...ALWAYS, ...found].toSorted())
  expect(result(requests[2]!)).toBe('ran archive_ticket')
  expect(toolsIn(2)).toEqual(toolsIn(1))
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'tools are found by find_tools', tools: 100 }))
})

test('few tools are all sent', async () => {
  const { run, toolsIn } = await serving(HUNDRED.slice(0, 20), ['Hello.'])
  await run('Hello')
  expect(toolsIn(0)).toHaveLength(OWN_TOOLS.length + 20)
})

// EVIDENCE-OF docs/configuration.md: | `MAX_TOOL_TOKENS` |
test('MAX_TOOL_TOKENS says from how many tokens on tools are found', async () => {
  const { run, toolsIn } = await serving(HUNDRED, ['Hello.'], { MAX_TOOL_TOKENS: '100000' })
  await run('Hello')
  expect(toolsIn(0)).toHaveLength(OWN_TOOLS.length + 100)
})

test('more than a hundred tools are found, whatever they take', async () => {
  const { run, toolsIn } = await serving([...HUNDRED, listed('more')], ['Hello.'], {
    MAX_TOOL_TOKENS: '100000',
  })
  await run('Hello')
  expect(toolsIn(0)).toEqual(ALWAYS)
})

test.each([
  [[], []],
  [
    ['erp__list_claim', 'time'],
    ['erp__list_claim', 'time'],
  ],
  [
    ['erp__list_claim', 'find_tools'],
    ['erp__list_claim', 'find_tools'],
  ],
])('with enabled_tools %j the model is first offered %j', async (enabled_tools, offered) => {
  const { run, toolsIn } = await serving(HUNDRED, ['Hello.'])
  await run('Hello', { enabled_tools })
  expect(toolsIn(0).toSorted()).toEqual(offered.toSorted())
})

test('finding enables no tool', async () => {
  const script = [search('list a claim or an order'), calls('erp__list_order'), 'Done.']
  const { run, requests } = await serving(HUNDRED, script)
  await run('Hello', { enabled_tools: ['find_tools', 'erp__list_claim'] })
  expect(namesIn(result(requests[1]!))).toEqual(['erp__list_claim'])
  expect(result(requests[2]!)).toContain('there is no tool "erp__list_order"')
})

test('a tool that was not found and is called all the same runs', async () => {
  const { run, requests, toolsIn } = await serving(HUNDRED, [calls('erp__print_quote'), 'Printed.'])
  expect(await run('Print it.')).toMatchObject({ output: 'Printed.' })
  expect(result(requests[1]!)).toBe('ran print_quote')
  expect(toolsIn(1)).toEqual([...ALWAYS, 'erp__print_quote'])
})

test('a query with names finds these tools alone', async () => {
  const { run, requests } = await serving(HUNDRED, [search('erp__list_lead, print_claim'), 'Done.'])
  await run('Go.')
  expect(namesIn(result(requests[1]!))).toEqual(['erp__list_lead', 'erp__print_claim'])
})

test('of equal tools the first by name are found, and none where no word fits', async () => {
  const same = [...'jifbeadghc'].map(name => ({
    ...listed(name),
    description: `Mails. ${'And more. '.repeat(40)}`,
  }))
  const script = [search('mails'), search('xyzzy'), 'Done.']
  const { run, requests } = await serving(same, script, { MAX_TOOL_TOKENS: '1100' })
  await run('Go.')
  const found = [...'abcdefgh'].map(name => `erp__${name}: Mails.`)
  expect(result(requests[1]!).split('\n')).toEqual([...found, 'If none fits, search by a name of the list.'])
  expect(result(requests[2]!)).toBe('No tool fits: search by a name of the list.')
})

test('a search finds no more than the next request has room for', async () => {
  const large = listed('large', {
    type: 'object',
    properties: { a: { type: 'string', description: 'large '.repeat(2_000) } },
  })
  const script = [search('large'), search('large ticket'), 'Done.']
  const { run, requests, toolsIn } = await serving([...HUNDRED, large], script)
  await run('Go.')
  expect(namesIn(result(requests[1]!))).toEqual(['erp__large'])
  expect(toolsIn(1)).toContain('erp__large')
  for (const name of namesIn(result(requests[2]!))) expect(toolsIn(2)).toContain(name)
})

test('a call of a tool that there is not reads which the request has', async () => {
  const { run, requests } = await serving(HUNDRED, [calls('list_lead'), 'Done.'])
  await run('Go.')
  expect(result(requests[1]!)).toContain(`Available tools: ${ALWAYS.join(', ')}.`)
})

test('of what was found, what was found last stays in the requests, and all that was called', async () => {
  const script = [search('ticket'), calls('erp__list_ticket'), ...KINDS.map(search), 'Done.']
  const { run, requests, toolsIn } = await serving(HUNDRED, script)
  await run('Go.')
  const last = namesIn(result(requests.at(-1)!))
  expect(toolsIn(-1)).toEqual(expect.arrayContaining([...ALWAYS, ...last, 'erp__list_ticket']))
  expect(toolsIn(-1)).not.toContain('erp__list_customer')
})

test('with a hundred tools a request takes 4,000 tokens at most, however much was found', async () => {
  const peer = await httpPeer({ list: () => ({ tools: HUNDRED }) })
  const queries = KINDS.map(query => asks([call('find_tools', { query })]))
  const model = await openAIServer(inTurn(...queries, says('Done.')))
  const { run } = await mcpService({ erp: { url: peer.url } }, model.env)
  await run('Go.')
  const tokens = model.requests.map(({ body }) => countTokens(JSON.stringify(body.tools)))
  expect(tokens).toHaveLength(KINDS.length + 1)
  for (const each of await Promise.all(tokens)) expect(each).toBeLessThan(4_000)
})

test('an agent with a find_tools of its own is offered all tools', async () => {
  const own = tool(() => 'mine', { name: 'find_tools', description: 'Mine.', schema: z.object({}) })
  const { run, toolsIn, lines } = await serving(HUNDRED, ['Hello.'], {}, { tools: [own] })
  await run('Hello')
  expect(toolsIn(0)).toHaveLength(101)
  const msg = 'tools are sent with each request: the agent has a find_tools of its own'
  expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', msg }))
})

test("LangChain's agent finds tools too", async () => {
  const peer = await httpPeer({ list: () => ({ tools: HUNDRED }) })
  const model = new ScriptedModel([search('archive a ticket'), 'Done.'])
  const env = { MCP_CONFIG: await mcpFile({ erp: { url: peer.url } }) }
  const graph = ({ model, tools }: GraphParts) => createAgent({ model, tools: [...tools] })
  const service = await testService({ ...agent, graph }, { env, models: [model.named()], tools: [] })
  onTestFinished(() => service.close())
  await service.run('Archive it.')
  expect(model.requests[0]!.tools).toEqual(['find_tools'])
  expect(model.requests[1]!.tools).toContain('erp__archive_ticket')
})
