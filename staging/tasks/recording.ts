import type { ModelMessage, ModelPrompt } from '../../src/wire/run-events.ts'
import type { RecordedEvent } from '../api.ts'

/** A reply to one model call, as aimock keeps it: `test/support/recording.ts` replays a file of them. */
interface Fixture {
  readonly match: {
    readonly userMessage: string
    readonly model: string
    readonly turnIndex: number
    readonly hasToolResult: boolean
  }
  readonly response: object
}

/**
 * What the model calls of a run answered, in the format of `npm run record`, all under the name of the model that answered
 * first: a replay asks one model.
 *
 * @returns why there can be no recording otherwise
 */
export function recordingOf(
  events: readonly RecordedEvent[],
): { readonly fixtures: readonly Fixture[] } | string {
  const fixtures: Fixture[] = []
  const prompts = new Map<unknown, readonly ModelMessage[]>()
  let last: readonly ModelMessage[] = []
  for (const { type, data } of events) {
    if (type === 'model_started') {
      const sent = data.sent as ModelPrompt | undefined
      if (sent === undefined) return 'what its model calls were sent was not kept'
      if (sent.follows > last.length) return 'the run is too long to be kept whole'
      last = [...last.slice(0, sent.follows), ...sent.messages]
      prompts.set(data.step, last)
    }
    if (type !== 'model_finished') continue
    const { answer, model, input_tokens, output_tokens, cut } = data as unknown as Finished
    const sent = prompts.get(data.step)
    if (sent === undefined || answer === undefined) return 'what its model calls answered was not kept'
    const asked = sent.findLastIndex(({ role }) => role === 'user')
    const match = {
      userMessage: sent[asked]?.text ?? '',
      model: fixtures[0]?.match.model ?? model,
      turnIndex: sent.filter(({ role }) => role === 'assistant').length,
      hasToolResult: sent.slice(asked + 1).some(({ role }) => role === 'tool'),
    }
    if (fixtures.some(other => JSON.stringify(other.match) === JSON.stringify(match)))
      return 'two of its model calls would look alike to a replay'
    const usage = { prompt_tokens: input_tokens, completion_tokens: output_tokens }
    fixtures.push({
      match,
      response: { ...responseOf(answer), ...(cut && { finishReason: 'length' }), usage },
    })
  }
  const isWhole = events.at(-1)?.type === 'run_finished' && fixtures.length > 0
  return isWhole ? { fixtures } : 'its model calls were not kept'
}

interface Finished {
  readonly answer?: ModelMessage
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cut: boolean
}

function responseOf({ text, tool_calls: calls = [] }: ModelMessage) {
  const toolCalls = calls.map(({ id, name, arguments: args }) => ({ name, arguments: args, id }))
  if (toolCalls.length === 0) return { content: text }
  return { ...(text !== '' && { content: text }), toolCalls }
}
