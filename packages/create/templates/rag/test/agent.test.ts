import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { expect, test } from 'vitest'
import { agent } from '../src/agent.ts'
import { searchDocuments } from '../tools/search-documents.ts'

test.each([
  ['Can I return goods?', 'Returns: You can return goods within 30 days'],
  ['opening hours on Saturdays', 'Opening hours: The shop in Harbour Street'],
  ['xylophones', 'No document matches.'],
])('the search: %s', async (query, start) => {
  expect(await searchDocuments.invoke({ query })).toMatch(new RegExp(`^${start}`))
})

test('a task, as over HTTP, with the offline model: the sources are in the event stream', async () => {
  const { post } = await testService(agent)
  const input = 'Use search_documents with {"query": "cost of delivery"}'
  const reply = await post({ task_id: 'test-1', input }, { accept: 'text/event-stream' })
  const events = await reply.text()
  expect(events).toContain(
    '"sources":[{"number":1,"title":"Delivery","url":"https://shop.example/help/delivery"}',
  )
  expect(events).toContain('"status":"success","output":"Delivery: Parcels arrive')
})

test('a model that follows a script takes the place of yours', async () => {
  const search = (query: string) => ({ toolCalls: [{ name: 'search_documents', args: { query } }] })
  const model = new ScriptedModel([search('cheques'), search('payment'), 'No cheques.'])
  const { run } = await testService(agent, { models: [model.named()] })
  expect(await run('May I pay by cheque?')).toMatchObject({ output: 'No cheques.', metrics: { steps: 5 } })
  expect(model.requests[0]?.messages[0]?.text).toContain('Cite your sources')
  expect(model.requests[1]?.messages.at(-1)?.text).toContain('We do not take cash or cheques.')
})
