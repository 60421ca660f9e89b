import type { Serialized } from '@langchain/core/load/serializable'
import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import type { LLMResult } from '@langchain/core/outputs'
import type { Limits } from './budget.ts'
import { type CallMetadata, Meter } from './meter.ts'
import { failureText } from './tool-run.ts'

/** What happens in a run, as it happens. Steps are numbered from 1. */
export type Progress =
  | { readonly type: 'run_started'; readonly tools: readonly string[]; readonly limits: Limits }
  | {
      readonly type: 'model_started'
      readonly step: number
      readonly model: string
      readonly attempt: number
    }
  | { readonly type: 'text'; readonly step: number; readonly text: string }
  | {
      readonly type: 'model_finished'
      readonly step: number
      readonly model: string
      readonly inputTokens: number
      readonly outputTokens: number
      readonly toolCalls: readonly string[]
    }
  | { readonly type: 'model_failed'; readonly step: number; readonly model: string; readonly attempt: number }
  | {
      readonly type: 'tool_started'
      readonly step: number
      /** Name of the tool, or "" when there is none of the name asked for. */
      readonly tool: string
      readonly callId: string
      /** JSON */
      readonly args: string
    }
  | {
      readonly type: 'tool_finished'
      readonly step: number
      readonly tool: string
      readonly callId: string
      readonly failed: boolean
      /** What the model reads of it. */
      readonly result: string
    }
  | { readonly type: 'limit_near'; readonly limit: keyof Limits; readonly used: number; readonly of: number }

/** Told of each event in its order; must not throw. */
export type Watch = (event: Progress) => void

/** Share of a limit at which it counts as near. */
const NEAR = 0.8

/** A meter that also tells of what it counts, and has the model stream its text. */
export class WatchedMeter extends Meter implements Disposable {
  /** Read by LangChain: models stream for a handler that has it. */
  readonly lc_prefer_streaming = true
  readonly #watch: Watch
  readonly #limits: Limits
  readonly #steps = new Map<string, { step: number; name: string; id: string; attempt: number }>()
  readonly #near = new Set<keyof Limits>()
  readonly #timers: NodeJS.Timeout[]

  /** @param elapsedMs milliseconds since the request arrived: what the time limits count from */
  constructor(watch: Watch, limits: Limits, elapsedMs: number) {
    super()
    this.#watch = watch
    this.#limits = limits
    this.#timers = (['answerByMs', 'timeoutMs'] as const).map(limit => {
      const moment = limits[limit] * NEAR
      return setTimeout(() => this.#tellNear(limit, moment), Math.max(0, moment - elapsedMs))
    })
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  override handleChatModelStart(
    serialized: Serialized,
    messages: BaseMessage[][],
    callId: string,
    parentId?: string,
    extra?: Record<string, unknown>,
    tags?: string[],
    metadata?: Record<string, unknown>,
  ): void {
    super.handleChatModelStart(serialized, messages, callId, parentId, extra, tags, metadata)
    const { model = '', attempt = 1 } = (metadata ?? {}) as Partial<CallMetadata>
    const { steps: step } = this
    this.#steps.set(callId, { step, name: model, id: '', attempt })
    this.#watch({ type: 'model_started', step, model, attempt })
    this.#tellNearCounts()
  }

  override handleLLMNewToken(text: string, index: unknown, callId: string): void {
    super.handleLLMNewToken(text, index, callId)
    const call = this.#steps.get(callId)
    if (call && text) this.#watch({ type: 'text', step: call.step, text })
  }

  override async handleLLMEnd(result: LLMResult, callId: string): Promise<void> {
    await super.handleLLMEnd(result, callId)
    const call = this.#take(callId)
    if (!call) return
    const { step, name: model } = call
    const generation = result.generations[0]?.[0] as { message?: AIMessage } | undefined
    const toolCalls = (generation?.message?.tool_calls ?? []).map(({ name }) => name)
    this.#watch({ type: 'model_finished', step, model, ...this.lastCall, toolCalls })
    this.#tellNearCounts()
  }

  override async handleLLMError(error: unknown, callId: string): Promise<void> {
    await super.handleLLMError(error, callId)
    const call = this.#take(callId)
    if (call) {
      const { step, name: model, attempt } = call
      this.#watch({ type: 'model_failed', step, model, attempt })
    }
  }

  override handleToolStart(
    serialized: Serialized,
    args: string,
    callId: string,
    parentId?: string,
    tags?: string[],
    metadata?: Record<string, unknown>,
    name = '',
    id = '',
  ): void {
    super.handleToolStart(serialized, args, callId, parentId, tags, metadata, name)
    const { steps: step } = this
    this.#steps.set(callId, { step, name, id, attempt: 1 })
    this.#watch({ type: 'tool_started', step, tool: name, callId: id, args })
    this.#tellNearCounts()
  }

  override handleToolEnd(result: string, callId: string): void {
    this.#toolFinished(callId, false, result)
  }

  override handleToolError(error: unknown, callId: string): void {
    super.handleToolError(error, callId)
    this.#toolFinished(callId, true, failureText(error, this.#steps.get(callId)?.name ?? ''))
  }

  #toolFinished(callId: string, failed: boolean, result: string): void {
    const call = this.#take(callId)
    if (!call) return
    const { step, name: tool, id } = call
    this.#watch({ type: 'tool_finished', step, tool, callId: id, failed, result })
  }

  #take(callId: string) {
    const call = this.#steps.get(callId)
    this.#steps.delete(callId)
    return call
  }

  #tellNearCounts(): void {
    const { steps, inputTokens, outputTokens } = this
    this.#tellNear('maxSteps', steps)
    this.#tellNear('maxOutputTokens', outputTokens)
    this.#tellNear('maxTotalTokens', inputTokens + outputTokens)
  }

  /** Once for each limit. */
  #tellNear(limit: keyof Limits, used: number): void {
    const of = this.#limits[limit]
    if (of === undefined || used < of * NEAR || this.#near.has(limit)) return
    this.#near.add(limit)
    this.#watch({ type: 'limit_near', limit, used, of })
  }
}
