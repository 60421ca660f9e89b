import { type RunEvent, runStartedData } from '../../run/events.ts'

/** Run events for tests that need one of any kind: a change of their shape is made here. */
const limits = { timeoutMs: 1, answerByMs: 1, maxSteps: 1 }

export const started: RunEvent = { type: 'run_started', at: 1, data: runStartedData([], limits) }
export const custom = (data: unknown): RunEvent => ({ type: 'custom', at: 2, data: { data } })
export const text = (piece: string): RunEvent => ({ type: 'text', at: 3, data: { step: 1, text: piece } })

/** The end of the model call that wrote the text, without an answer. */
export const failed: RunEvent = {
  type: 'model_failed',
  at: 5,
  data: { step: 1, model: 'm', attempt: 1, cost_usd: null },
  key: 'k',
  tokens: { inputTokens: 0, outputTokens: 0 },
}

/** The end of a call of the tool `broken`, which threw this. */
