import type { ModelEntry } from '@agent-task-service/engine'
import { modelOf } from '@agent-task-service/test-support/service'
import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { expect, onTestFinished, test, vi } from 'vitest'

const piece = (index: number, args: string, rest: { id?: string; name?: string } = {}) =>
  new ChatGenerationChunk({
    text: '',
    message: new AIMessageChunk({
      content: '',
      tool_call_chunks: [{ index, args, ...rest, type: 'tool_call_chunk' }],
    }),
  })

/** Streams two calls with long arguments. */
class Writer extends BaseChatModel {
  override _llmType(): string {
    return 'writer'
  }

  override async _generate(): Promise<never> {
    throw new Error('it streams')
  }

  override async *_streamResponseChunks() {
    for (const index of [0, 1]) {
      yield piece(index, '{"text":"', { id: `id_${index}`, name: 'write' })
      for (let n = 0; n < 4_000; n += 1) yield piece(index, 'forty characters of a long text, in full')
      yield piece(index, '"}')
    }
    yield new ChatGenerationChunk({ text: 'Done.', message: new AIMessageChunk('Done.') })
  }
}

class Streaming extends BaseCallbackHandler {
  readonly name = 'streaming'
  readonly lc_prefer_streaming = true
}

test('long arguments arrive whole and in order, in few pieces', async () => {
  const create: ModelEntry['create'] = ({ maxTokens }) =>
    Object.assign(new Writer({}), { invocationParams: () => ({ maxTokens }) })
  const model = await modelOf({}, { models: [{ name: 'writer', create }] })
  const joined = vi.spyOn(ChatGenerationChunk.prototype, 'concat')
  onTestFinished(() => joined.mockRestore())
  const { content, tool_calls: calls } = await model.invoke('Write', { callbacks: [new Streaming()] })
  expect(joined).toHaveBeenCalled()
  expect(joined.mock.calls.length).toBeLessThan(40)
  expect(content).toBe('Done.')
  const args = { text: 'forty characters of a long text, in full'.repeat(4_000) }
  expect(calls).toMatchObject([0, 1].map(index => ({ id: `id_${index}`, name: 'write', args })))
})
