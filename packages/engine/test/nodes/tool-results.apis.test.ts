import { asks, call, says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { ToolMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'

/** What the model reads from a tool that returns this. */
async function readOf(make: (callId: string) => unknown): Promise<unknown> {
  const used = tool('used', (_args, { toolCall }) => make(toolCall?.id ?? ''))
  const { env, requests } = await openAIServer(inTurn(asks([call('used', {})]), says('So be it.')))
  const { run } = await testService(env, { tools: [used] })
  expect(await run('Use it')).toMatchObject({ status: 'success', output: 'So be it.' })
  return requests[1]?.body.messages.at(-1)?.content
}

// EVIDENCE-OF docs/reference/tool-rules.md: Text, or a value that becomes JSON.
test.each([[[1, 2]], [{ length: 3 }], [7]])("a tool's result is JSON unless it is text: %j", async result => {
  expect(await readOf(() => result)).toBe(JSON.stringify(result))
})

test('a tool that returns nothing has a result that says so', async () => {
  for (const nothing of [undefined, '', ' '])
    expect(await readOf(() => nothing)).toBe('The tool gave an empty result.')
})

// EVIDENCE-OF docs/reference/tool-rules.md: Also content blocks, a `ToolMessage`, a `Command`, and `[content, artifact]` with
//   `responseFormat: 'content_and_artifact'`
test('content blocks and a message of its own are passed on', async () => {
  const blocks = [{ type: 'text', text: 'pong' }]
  expect(await readOf(() => blocks)).toBe('pong')
  expect(await readOf(id => new ToolMessage({ content: 'pong', tool_call_id: id }))).toBe('pong')
})
