import { contextIn, tokensBeyond } from '../failures/refused-limits.ts'
import { RunFailure } from '../failures/run-failure.ts'
import { estimateRequest } from '../run/count-tokens.ts'
import { withoutEchoes } from './changes.ts'
import type { Facts } from './facts-from-refusals.ts'
import type { FailedAttempt } from './listed-model.ts'
import type { ModelCallRequest } from './model-call.ts'

/**
 * The failure with figures in place of a status, if a model refused the request as too long: what it has and what the model
 * takes, as far as the refusal tells. Our own count is rounded, since models count differently.
 */
export async function taskTooLong(
  { error, isEchoed }: FailedAttempt,
  request: ModelCallRequest,
  { context }: Facts,
): Promise<RunFailure> {
  if (error.trouble !== 'context_too_long') return error.failure
  const { reason, cause } = error.failure
  const message = withoutEchoes((cause as Error | undefined)?.message ?? '', isEchoed)
  const takes = contextIn(message) ?? context
  const counted = Number((await estimateRequest(request)).toPrecision(2))
  const has = (takes && tokensBeyond(takes, message)) ?? counted
  return new RunFailure(reason, describe(has, takes), { cause })
}

function describe(has: number, takes: number | undefined): string {
  const tooLong = 'the task is too long for the model'
  if (takes === undefined) return `${tooLong}: about ${inWords(has)} tokens`
  if (has <= takes) return `${tooLong}, which takes ${inWords(takes)} tokens`
  return `${tooLong}: about ${inWords(has)} tokens, and it takes ${inWords(takes)}`
}

function inWords(tokens: number): string {
  return tokens.toLocaleString('en-US')
}
