import { Client } from '@langchain/langgraph-sdk'
import { expect, test } from 'vitest'
import { startStudio } from '../support/studio.ts'

test("LangGraph's development server loads the graph and runs a task", async () => {
  await using studio = await startStudio()
  const client = new Client({ apiUrl: studio.url })
  const [assistant] = await client.assistants.search({ graphId: 'agent' })
  const graph = await client.assistants.getGraph(assistant?.assistant_id ?? '')
  expect(graph.nodes.map(({ id }) => id)).toEqual(['__start__', 'plan', 'tool-call', 'respond', '__end__'])
  const messages = [{ role: 'user', content: 'What is 15% of 240?' }]
  const state = await client.runs.wait(null, 'agent', { input: { messages } })
  expect(state).toMatchObject({ answer: '15% of 240 = 36', stop: 'answer' })
})
