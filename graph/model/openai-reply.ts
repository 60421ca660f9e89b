import type { OpenAI } from 'openai'
import { z } from 'zod'
import { ModelReplyError, type ReportedUsage } from './model-error.ts'

export type Completion = OpenAI.Chat.Completions.ChatCompletion
export type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk

/** What is used of a message; a content or a call of another shape would fail deep in LangChain, or read as "undefined". */
const usableMessage = z.object({
  content: z
    .union([
      z.string(),
      z.array(
        z
          .object({ type: z.string(), text: z.unknown().optional() })
          .refine(({ type, text }) => type !== 'text' || typeof text === 'string'),
      ),
    ])
    .nullish(),
  tool_calls: z.array(z.object({ function: z.object({ arguments: z.unknown().optional() }) })).nullish(),
})

/**
 * The reply with its deviations from the protocol mended.
 *
 * @throws {ModelReplyError} for a reply with no usable message: `{error}` or a web page with status 200, a cut body
 */
export function checked(reply: Completion): Completion {
  const { choices, usage } = reply ?? {}
  const message = choices?.[0]?.message
  if (!message || !usableMessage.safeParse(message).success)
    throw new ModelReplyError('no usable message in the reply', { usage })
  expectNoError(choices[0]?.finish_reason, usage)
  // LangChain's converter reads a role it does not know as no answer at all.
  message.role = 'assistant'
  for (const call of message.tool_calls ?? [])
    if ('function' in call) call.function.arguments = argumentsText(call.function.arguments)
  return reply
}

/** A whole reply as the stream it should have been: server-sent events. */
export function asStream({ choices, ...rest }: Completion): string {
  const deltas = choices.map(({ message, ...choice }) => {
    const tool_calls = message.tool_calls?.map((call, index) => ({ ...call, index }))
    // What came whole has ended, whether or not the server says why.
    return { ...choice, finish_reason: choice.finish_reason || 'stop', delta: { ...message, tool_calls } }
  })
  return `data: ${JSON.stringify({ ...rest, choices: deltas })}\n\ndata: [DONE]\n\n`
}

/** Arguments as JSON in a string: some servers send the JSON itself, or nothing for a tool that takes none. */
function argumentsText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? {})
  return value.trim() === '' ? '{}' : value
}

/**
 * The stream with its deviations mended.
 *
 * @throws {ModelReplyError} for a stream that ends before the model said that it had finished, or in an error
 */
export async function* checkedStream(chunks: AsyncIterable<Chunk>): AsyncIterable<Chunk> {
  let finished = false
  for await (const chunk of chunks) {
    const choice = chunk.choices?.[0]
    if (choice?.delta) mend(choice.delta)
    if (choice?.finish_reason) {
      expectNoError(choice.finish_reason)
      // Said twice, LangChain would put it together: "stopstop".
      if (finished) choice.finish_reason = null
      finished = true
    }
    yield chunk
  }
  if (!finished) throw new ModelReplyError('the stream ended before the answer did')
}

/** What LangChain's converter drops otherwise: calls and usage where a server does not say the role, content in parts. */
function mend(delta: Chunk['choices'][number]['delta']): void {
  delta.role = 'assistant'
  for (const { function: called } of delta.tool_calls ?? [])
    if (called && typeof called.arguments === 'object') called.arguments = JSON.stringify(called.arguments)
  const content: unknown = delta.content
  if (!Array.isArray(content)) return
  const textOf = (type: 'text' | 'refusal') =>
    content.map(part => (part?.type === type ? String(part[type] ?? '') : '')).join('')
  delta.content = textOf('text')
  if (content.some(part => part?.type === 'refusal')) delta.refusal = textOf('refusal')
}

/** How routers to several providers, such as OpenRouter, report that the upstream provider failed. */
function expectNoError(finishReason: string | null | undefined, usage?: ReportedUsage): void {
  if (finishReason === 'error') throw new ModelReplyError('the reply ended in an error', { usage })
}
