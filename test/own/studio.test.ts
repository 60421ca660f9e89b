import { startStudio } from '@agent-task-service/test-support/studio'
import { Client } from '@langchain/langgraph-sdk'
import { expect, onTestFinished, test } from 'vitest'

test('LangGraph Studio serves your graph', async () => {
  const studio = await startStudio()
  onTestFinished(async () => void (await studio.stop()))
  const client = new Client({ apiUrl: studio.url, callerOptions: { maxRetries: 0 } })
  const [assistant] = await client.assistants.search({ graphId: 'agent' })
  const { nodes } = await client.assistants.getGraph(assistant!.assistant_id)
  expect(nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(['__start__', '__end__']))
})
