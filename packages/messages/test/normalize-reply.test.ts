import { normalizeReply } from '@agent-task-service/messages/normalize-reply'
import { add } from '@agent-task-service/test-support/sample-tools'
import { AIMessageChunk } from '@langchain/core/messages'
import { expect, test } from 'vitest'

// EVIDENCE-OF docs/reference/model-servers.md: Of the calls of one reply the first 1,000 are read.
test('of thousands of calls with one id the first 1,000 are kept, each with an id of its own', () => {
  const tool_call_chunks = Array.from({ length: 3_000 }, (_, index) => ({
    ...{ index, id: 'a', name: 'add', args: `{"a":${index},"b":1}` },
    type: 'tool_call_chunk' as const,
  }))
  const reply = new AIMessageChunk({ content: '', tool_call_chunks })
  const known = { model: 'm', tools: [add], takenIds: new Set(['a', 'a_2']) }
  const { tool_calls: calls = [] } = normalizeReply(reply, known).message
  expect(calls).toHaveLength(1_000)
  expect(calls[0]).toMatchObject({ id: 'a_3', args: { a: 0, b: 1 } })
  expect(new Set(calls.map(({ id }) => id)).size).toBe(1_000)
})
