import type { AgentDefinition } from '@agent-task-service/engine'
import { defineAgent, RunContext, runOf } from '@agent-task-service/engine'
import { createGraph } from '@agent-task-service/test-support/agent/graph'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import type { TaskPlan, Turn } from './schedule.ts'
import { never, sleep } from './waits.ts'

/** What the world saw of a run. */
export interface RunRecord {
  /** Its place among all runs; its answers name it. */
  readonly nth: number
  readonly replica: number
  /** Place of its task, and whether its body is the other one. */
  readonly task: number
  readonly isOther: boolean
  /** First and last moment at which a model or a tool worked for it, in milliseconds. */
  readonly from: number
  to: number
  /** Tokens that the model reported. */
  inputTokens: number
  outputTokens: number
  /** Whether each of its model calls came to its end. */
  isWhole: boolean
  toolCalls: number
  /** The model's ids of the calls with side effects that were made. */
  readonly effects: string[]
}

/** The parts of the world in which a replica's agent works. */
export interface AgentWorld {
  readonly tasks: readonly TaskPlan[]
  readonly runs: RunRecord[]
  /** Whether the replica is dead: nothing it does counts any more. */
  isDead(replica: number): boolean
}

/** Any task that is not in the schedule: answered at once. */
const SHORT_TASK: Pick<TaskPlan, 'turns'> = {
  turns: [{ delayMs: 0, tools: [], failures: 0, pieces: 1, pieceMs: 0, hangs: false }],
}

/** The body of a task, which the model reads. */
export function inputOf(task: number, isOther: boolean): string {
  return `${isOther ? 'other ' : ''}task ${task}`
}

/** An agent with the engine's nodes, whose model and tools do what the schedule says. */
export function simulatedAgent(world: AgentWorld, replica: number): AgentDefinition {
  const records = new WeakMap<object, RunRecord>()
  const recordOf = (run: object | undefined, task: number, isOther: boolean): RunRecord => {
    if (!run) throw new Error('expected a run, got none')
    const known = records.get(run)
    if (known) return known
    const moment = performance.now()
    const record: RunRecord = {
      nth: world.runs.length,
      replica,
      task,
      isOther,
      from: moment,
      to: moment,
      inputTokens: 0,
      outputTokens: 0,
      isWhole: true,
      toolCalls: 0,
      effects: [],
    }
    records.set(run, record)
    world.runs.push(record)
    return record
  }
  const works = async (ms: number, signal?: AbortSignal) => {
    await (signal ? abortable(ms, signal) : sleep(ms))
    if (world.isDead(replica)) await never()
  }
  const useTool = (name: 'act' | 'look') =>
    tool(
      async ({ ms, fails, hangs }, config) => {
        const record = records.get(runOf(config)!)!
        if (world.isDead(replica)) await never()
        record.toolCalls += 1
        record.to = performance.now()
        if (name === 'act') record.effects.push(String(config.toolCall?.id))
        if (hangs) await never()
        await works(ms, config.signal)
        record.to = performance.now()
        if (fails) throw new Error('the tool broke')
        return 'done'
      },
      {
        name,
        description: name,
        schema: z.object({ ms: z.number(), fails: z.boolean(), hangs: z.boolean() }),
        metadata: { readOnlyHint: name === 'look', timeLimitMs: 4_000 },
      },
    )
  const parts = { world, recordOf, works }
  return defineAgent({
    graph: createGraph,
    context: RunContext,
    systemPrompt: 'You are simulated.',
    models: async () => [
      {
        name: 'simulated',
        create: ({ maxTokens }) => new SimulatedModel(parts, maxTokens),
        patienceMs: 3_000,
      },
    ],
    tools: { act: useTool('act'), look: useTool('look') },
    variables: z.object({}),
  })
}

interface ModelParts {
  readonly world: AgentWorld
  recordOf(run: object | undefined, task: number, isOther: boolean): RunRecord
  works(ms: number, signal?: AbortSignal): Promise<void>
}

interface CallOptions extends BaseChatModelCallOptions {
  readonly offered?: readonly unknown[]
}

class SimulatedModel extends BaseChatModel<CallOptions> {
  readonly #parts: ModelParts
  readonly #maxTokens: number | undefined
  /** Temporary errors so far, by run and turn. */
  static readonly #failures = new WeakMap<RunRecord, Map<number, number>>()

  constructor(parts: ModelParts, maxTokens: number | undefined) {
    super({})
    this.#parts = parts
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
    const { world, recordOf, works } = this.#parts
    const at = messages.findLastIndex(({ type }) => type === 'human')
    const [, other, task] = /^(other )?task (\d+)$/.exec(messages[at]!.text)!
    const { turns } = world.tasks[Number(task)] ?? SHORT_TASK
    const record = recordOf(runOf(), Number(task), other !== undefined)
    const nth = messages.slice(at).filter(({ type }) => type === 'ai').length
    const turn = turns[Math.min(nth, turns.length - 1)]!
    const { isWhole } = record
    record.isWhole = false
    record.to = performance.now()
    await works(turn.delayMs, turn.hangs ? undefined : signal)
    if (turn.hangs) await never()
    if (this.#failsNow(record, nth, turn)) {
      record.isWhole = isWhole
      throw Object.assign(new Error('overloaded'), { status: 503 })
    }
    const { inputTokens, outputTokens } = record
    const usage = { input: 10 + messages.length, output: 0 }
    if (turn.tools.length > 0 && offered.length > 0) {
      usage.output = 5 * turn.tools.length
      yield chunk('', {
        tool_call_chunks: turn.tools.map(({ name, ...args }, index) => ({
          index,
          id: `call_${nth}_${index}`,
          name,
          args: JSON.stringify(args),
          type: 'tool_call_chunk',
        })),
      })
    } else {
      const words = [
        `run ${record.nth}`,
        ...Array.from({ length: turn.pieces }, (_, piece) => ` word${piece}`),
      ]
      for (const word of words.slice(0, this.#maxTokens)) {
        await works(turn.pieceMs, signal)
        usage.output += 1
        const piece = chunk(word)
        await callbacks?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk: piece })
        yield piece
      }
    }
    record.inputTokens = inputTokens + usage.input
    record.outputTokens = outputTokens + usage.output
    record.isWhole = isWhole
    record.to = performance.now()
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

  #failsNow(record: RunRecord, nth: number, { failures }: Turn): boolean {
    const ofRun = SimulatedModel.#failures.get(record) ?? new Map<number, number>()
    SimulatedModel.#failures.set(record, ofRun)
    const before = ofRun.get(nth) ?? 0
    ofRun.set(nth, before + 1)
    return before < failures
  }
}

function chunk(text: string, fields: object = {}): ChatGenerationChunk {
  return new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text, ...fields }) })
}

async function abortable(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}
