import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { type ModelCall, plainConversation, turnOf } from './run-records.ts'
import type { TaskPlan, Turn } from './schedule.ts'
import type { AgentWorld } from './simulated-agent.ts'
import { never } from './waits.ts'

interface ModelOptions {
  readonly world: AgentWorld
  works(ms: number, signal?: AbortSignal): Promise<void>
}

interface CallOptions extends BaseChatModelCallOptions {
  readonly offered?: readonly BindToolsInput[]
}

/** Any task that is not in the schedule: answered at once. */
const SHORT_TASK: Pick<TaskPlan, 'turns'> = {
  turns: [{ delayMs: 0, tools: [], failures: 0, pieces: 1, pieceMs: 0, hangs: false }],
}

/** Does what the schedule says, and words each reply anew. */
export class SimulatedModel extends BaseChatModel<CallOptions> {
  readonly #options: ModelOptions
  readonly #maxTokens: number | undefined

  constructor(options: ModelOptions, maxTokens: number | undefined) {
    super({})
    this.#options = options
    this.#maxTokens = maxTokens
  }

  override _llmType(): string {
    return 'simulated'
  }

  override invocationParams() {
    return { max_tokens: this.#maxTokens }
  }

  override bindTools(tools: BindToolsInput[], { tool_choice }: Partial<CallOptions> = {}) {
    return this.withConfig({ offered: tool_choice === 'none' ? [] : tools })
  }

  override async _generate(): Promise<ChatResult> {
    throw new Error('expected to be streamed from')
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    { offered = [], signal }: this['ParsedCallOptions'],
    callbacks?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { world, works } = this.#options
    const { records } = world
    const record = records.recordOf()
    const call = records.modelCall(record, messages, offered.map(nameOf))
    const turn = turnOf(world.tasks[record.task] ?? SHORT_TASK, call.turn)
    record.to = performance.now()
    await works(turn.delayMs, turn.hangs ? undefined : signal)
    if (turn.hangs) await never()
    if (failsNow(call, turn)) {
      call.hasFailed = true
      throw Object.assign(new Error('overloaded'), { status: 503 })
    }
    const usage = { input: 10 + messages.length, output: 0 }
    const begin = `reply ${call.nth} of run ${record.nth}`
    const callsTools = turn.tools.length > 0 && offered.length > 0
    const words = [
      begin,
      ...Array.from({ length: callsTools ? 0 : turn.pieces }, (_, piece) => ` word${piece}`),
    ].slice(0, this.#maxTokens)
    for (const word of words) {
      if (!callsTools) await works(turn.pieceMs, signal)
      usage.output += 1
      const piece = chunk(word)
      await callbacks?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk: piece })
      yield piece
    }
    const calls = (callsTools ? turn.tools : []).map(({ name, ...args }, index) => {
      const id = `call_${call.nth}_${index}`
      records.places.set(id, `${call.turn}-${index}`)
      return { index, id, name, args }
    })
    usage.output += 5 * calls.length
    yield chunk('', {
      tool_call_chunks: calls.map(({ args, ...fields }) => {
        return { ...fields, args: JSON.stringify(args), type: 'tool_call_chunk' as const }
      }),
    })
    record.to = performance.now()
    const text = words.join('')
    const message = plainConversation([new AIMessage({ content: text, tool_calls: calls })])
    Object.assign(call, { usage, text, message, endedAt: record.to })
    const isCut = this.#maxTokens !== undefined && usage.output >= this.#maxTokens
    yield chunk('', {
      usage_metadata: {
        input_tokens: usage.input,
        output_tokens: usage.output,
        total_tokens: usage.input + usage.output,
      },
      response_metadata: { finish_reason: isCut ? 'length' : 'stop' },
    })
  }
}

/** Whether this try of its run is one of those that fail. */
function failsNow({ run, turn }: ModelCall, { failures }: Turn): boolean {
  return run.modelCalls.filter(call => call.turn === turn && call.hasFailed).length < failures
}

function nameOf(tool: BindToolsInput): string {
  return (tool as { readonly name: string }).name
}

function chunk(text: string, fields: object = {}): ChatGenerationChunk {
  return new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text, ...fields }) })
}
