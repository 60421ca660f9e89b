import { AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { expect, test } from 'vitest'
import { gatherArguments } from '../../langchain-cost/gathered-arguments.ts'

const piece = (index: number, args: string, rest: { id?: string; name?: string } = {}) =>
  new ChatGenerationChunk({
    text: '',
    message: new AIMessageChunk({
      content: '',
      tool_call_chunks: [{ index, args, ...rest, type: 'tool_call_chunk' }],
    }),
  })

async function* stream() {
  for (const index of [0, 1]) {
    yield piece(index, '{"text":"', { id: `id_${index}`, name: 'write' })
    for (let n = 0; n < 4_000; n += 1) yield piece(index, 'forty characters of a long text, in full')
    yield piece(index, '"}')
  }
  yield new ChatGenerationChunk({ text: 'Done.', message: new AIMessageChunk('Done.') })
}

test('long arguments arrive whole and in order, in few pieces', async () => {
  const gathered: ChatGenerationChunk[] = []
  for await (const chunk of gatherArguments(stream())) gathered.push(chunk)
  expect(gathered.length).toBeLessThan(40)
  const whole = gathered.reduce((known, chunk) => known.concat(chunk))
  const { content, tool_calls: calls = [] } = whole.message as AIMessageChunk
  expect(content).toBe('Done.')
  const args = { text: 'forty characters of a long text, in full'.repeat(4_000) }
  expect(calls).toMatchObject([0, 1].map(index => ({ id: `id_${index}`, name: 'write', args })))
})
