import { setTimeout as sleep } from 'node:timers/promises'
import { AIMessage, type BaseMessage, SystemMessage, type ToolCall } from '@langchain/core/messages'
import { describeLimit } from './budget.ts'
import { childSignal } from './child-signal.ts'
import { RunFailure } from './failure.ts'
import type { CallMetadata } from './meter.ts'
import type { NamedModel } from './model.ts'
import { judge } from './model-error.ts'
import type { NodeConfig, Scope } from './scope.ts'
import { countMessages } from './tokens.ts'
import type { AskOptions } from './toolset.ts'
import { turn } from './turns.ts'

/** Tries of one model before the next is asked, or the run fails. */
const MAX_ATTEMPTS = 4
const FIRST_BACKOFF_MS = 250

/**
 * Asks the model once for the conversation so far, with tries and the fallback model inside the run's time.
 *
 * @param tools what to offer; empty: the model can only answer
 * @throws {RunFailure} when no model answers, or the budget allows no call
 */
export async function ask(
  scope: Scope,
  systemPrompt: string,
  conversation: readonly BaseMessage[],
  tools: NonNullable<AskOptions['tools']>,
): Promise<AIMessage> {
  const messages =
    systemPrompt === '' ? [...conversation] : [new SystemMessage(systemPrompt), ...conversation]
  const { budget } = scope
  // Only a cap on what is read and generated needs to know beforehand what will be read.
  const inputTokens = budget.limits.maxTotalTokens === undefined ? 0 : await countMessages(messages)
  let failure: RunFailure | undefined
  let attempt = 0
  for (const model of scope.models) {
    for (let tries = 1; tries <= MAX_ATTEMPTS; tries += 1) {
      attempt += 1
      // A reply that could not be used is paid for all the same.
      const refusal = budget.refusal(inputTokens, attempt)
      if (refusal)
        throw new RunFailure(refusal, `${describeLimit(refusal, budget.limits)} left no room for an answer`)
      try {
        const options = {
          tools: tools.length > 0 ? tools : undefined,
          maxTokens: budget.outputCap(inputTokens),
        }
        return tidy(await invoke(model, messages, options, scope.config, attempt), conversation)
      } catch (error) {
        scope.config.signal?.throwIfAborted()
        const verdict = judge(error)
        if (!verdict.retry) throw verdict.failure
        failure = verdict.failure
        const wait = verdict.retryAfterMs ?? backoffMs(tries)
        if (tries === MAX_ATTEMPTS || wait >= budget.timeLeftMs) break
        await sleep(wait, undefined, { signal: scope.config.signal })
      }
    }
  }
  throw failure ?? new RunFailure('internal', 'this agent has no model')
}

async function invoke(
  model: NamedModel,
  messages: BaseMessage[],
  options: AskOptions,
  config: NodeConfig,
  attempt: number,
): Promise<AIMessage> {
  using child = childSignal(config.signal)
  const metadata: CallMetadata = { model: model.name, attempt }
  await turn()
  const reply = await model.chat.invoke(messages, {
    callbacks: config.callbacks,
    metadata: { ...config.metadata, ...metadata },
    signal: child.signal,
    ...options,
  } as Parameters<NamedModel['chat']['invoke']>[1])
  return reply as AIMessage
}

/** Doubling, with up to as much again at random so that runs which failed together do not return together. */
function backoffMs(tries: number): number {
  return FIRST_BACKOFF_MS * 2 ** (tries - 1) * (1 + Math.random())
}

/**
 * The reply as the conversation keeps it. Calls whose arguments are no JSON stand among the others, with empty
 * arguments and their fault in `invalid_tool_calls`; every call has an id of its own, and so has the message.
 */
function tidy(reply: AIMessage, conversation: readonly BaseMessage[]): AIMessage {
  const taken = new Set<string>()
  const invalid: NonNullable<AIMessage['invalid_tool_calls']> = []
  const calls = inOrder(reply).map(({ call, fault }, index): ToolCall => {
    const wanted = call.id || `call_${index + 1}`
    let id = wanted
    for (let suffix = index + 1; taken.has(id); suffix += 1) id = `${wanted}_${suffix}`
    taken.add(id)
    if (fault) invalid.push({ ...fault, id })
    return { id, name: call.name ?? '', args: fault ? {} : (call as ToolCall).args, type: 'tool_call' }
  })
  const isTaken = conversation.some(message => message.id !== undefined && message.id === reply.id)
  return new AIMessage({
    id: isTaken ? crypto.randomUUID() : reply.id,
    content: reply.content,
    tool_calls: calls,
    invalid_tool_calls: invalid,
    response_metadata: reply.response_metadata,
    usage_metadata: reply.usage_metadata,
  })
}

type InvalidToolCall = NonNullable<AIMessage['invalid_tool_calls']>[number]

/** Valid and invalid calls in the order in which the model made them, as far as the provider's own list tells. */
function inOrder(reply: AIMessage): { call: ToolCall | InvalidToolCall; fault?: InvalidToolCall }[] {
  const valid = [...(reply.tool_calls ?? [])]
  const invalid = [...(reply.invalid_tool_calls ?? [])]
  const raw = reply.additional_kwargs.tool_calls ?? []
  const ordered: ReturnType<typeof inOrder> = []
  for (const { function: asked } of raw) {
    const isInvalid = invalid[0] !== undefined && invalid[0].args === asked?.arguments
    const call = isInvalid ? invalid.shift() : valid.shift()
    if (call) ordered.push(isInvalid ? { call, fault: call as InvalidToolCall } : { call })
  }
  return [...ordered, ...valid.map(call => ({ call })), ...invalid.map(fault => ({ call: fault, fault }))]
}
