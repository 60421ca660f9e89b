import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { expect, test } from 'vitest'
import { SYSTEM_PROMPT } from '../graph/graph.ts'
import { agent } from '../src/agent.ts'
import documents from '../tools/documents.json' with { type: 'json' }
import { searchDocuments } from '../tools/search-documents.ts'

const { title, url, text } = documents[0]!
/** What finds the first document, whichever it is. */
const query = `${title} ${text.slice(0, 200)}`

test.each(documents)('the search finds $title', async ({ title, url, text }) => {
  const found = await searchDocuments.invoke({ query: `${title} ${text.slice(0, 200)}` })
  expect(found).toContain(`${title}: ${text}\nSource: ${url}`)
})

test('the search says that nothing matches', async () => {
  expect(await searchDocuments.invoke({ query: 'qwxzy' })).toBe('No document matches.')
})

test('a task, as over HTTP, with the offline model: the sources are in the event stream', async () => {
  const { post } = await testService(agent)
  const input = `Use search_documents with ${JSON.stringify({ query })}`
  const reply = await post({ task_id: 'test-1', input }, { accept: 'text/event-stream' })
  const events = await reply.text()
  expect(events).toContain(`"title":${JSON.stringify(title)},"url":${JSON.stringify(url)}`)
  expect(events).toContain('"status":"success"')
})

test('a model that follows a script takes the place of yours', async () => {
  const search = (query: string) => ({ toolCalls: [{ name: 'search_documents', args: { query } }] })
  const model = new ScriptedModel([search('qwxzy'), search(query), 'As it says there.'])
  const { run } = await testService(agent, { models: [model.named()] })
  expect(await run('What is it?')).toMatchObject({ output: 'As it says there.', metrics: { steps: 5 } })
  expect(model.requests[0]?.messages[0]?.text).toBe(SYSTEM_PROMPT)
  expect(model.requests[1]?.messages.at(-1)?.text).toContain('No document matches.')
  expect(model.requests[2]?.messages.at(-1)?.text).toContain(`${title}: `)
})
