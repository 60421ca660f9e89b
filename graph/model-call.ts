import { setTimeout as sleep } from 'node:timers/promises'
import { type AIMessage, type BaseMessage, SystemMessage } from '@langchain/core/messages'
import { withAnsweredCalls } from './answered-calls.ts'
import { describeLimit } from './budget.ts'
import { childSignal } from './child-signal.ts'
import { RunFailure } from './failure.ts'
import type { CallMetadata } from './meter.ts'
import type { NamedModel } from './model.ts'
import { judge } from './model-error.ts'
import { tidyReply } from './reply.ts'
import type { NodeConfig, Scope } from './scope.ts'
import { countMessages } from './tokens.ts'
import type { AskOptions } from './toolset.ts'
import { turn } from './turns.ts'

/** Tries of one model before the next is asked, or the run fails. */
const MAX_ATTEMPTS = 4
const FIRST_BACKOFF_MS = 250
/** A provider that asks for a longer wait is left for the fallback model, where there is one. */
const LONGEST_WAIT_BEFORE_FALLBACK_MS = 5_000

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
  const messages = withAnsweredCalls(conversation)
  if (systemPrompt !== '') messages.unshift(new SystemMessage(systemPrompt))
  const { budget } = scope
  // Only a cap on what is read and generated needs to know beforehand what will be read.
  const inputTokens = budget.limits.maxTotalTokens === undefined ? 0 : await countMessages(messages)
  let failure: RunFailure | undefined
  let attempt = 0
  for (const [index, model] of scope.models.entries()) {
    // A model that was given up on is not asked again in this run.
    if (index < scope.account.modelsGivenUp) continue
    const isLast = index === scope.models.length - 1
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
        return tidyReply(await invoke(model, messages, options, scope.config, attempt), conversation)
      } catch (error) {
        scope.config.signal?.throwIfAborted()
        const verdict = judge(error)
        if (!verdict.retry) throw verdict.failure
        failure = verdict.failure
        const wait = verdict.retryAfterMs ?? backoffMs(tries)
        const longest = isLast
          ? budget.timeLeftMs
          : Math.min(budget.timeLeftMs, LONGEST_WAIT_BEFORE_FALLBACK_MS)
        if (tries === MAX_ATTEMPTS || wait >= longest) break
        await sleep(wait, undefined, { signal: scope.config.signal })
      }
    }
    if (!isLast) scope.account.modelsGivenUp = index + 1
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
