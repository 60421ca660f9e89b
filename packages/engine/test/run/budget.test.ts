import { type LimitReason, limitReasons, priceAt } from '@agent-task-service/engine'
import { expect, test } from 'vitest'
import { Budget, type Spent } from '../../run/budget.ts'
import { limitNearData, runStartedData } from '../../run/events.ts'
import { describeCap, describeLimit, type Limits } from '../../run/limits.ts'

/** No call was made before. */
const NEW = () => undefined
const LIMITS: Limits = { timeoutMs: 1000, answerByMs: 300, maxSteps: 10 }

function budget({ limits = {}, spent = {}, elapsed = 0 }: Case): Budget {
  const nothing: Spent = {
    steps: 0,
    inputTokens: 0,
    outputTokens: 0,
    lastCall: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    costUsd: 0,
    hasAskedPastSoftDeadline: false,
  }
  return new Budget({ ...LIMITS, ...limits }, { ...nothing, ...spent }, () => elapsed, NEW)
}

interface Case {
  readonly limits?: Partial<Limits>
  readonly spent?: Partial<Spent>
  readonly elapsed?: number
}

/** Spent tokens, all by the last call. */
const oneCall = (inputTokens: number, outputTokens: number): Partial<Spent> => {
  return { steps: 1, inputTokens, outputTokens, lastCall: { inputTokens, outputTokens, costUsd: 0 } }
}

/** Spent money, all by the last call. */
const costly = (costUsd: number): Partial<Spent> => {
  return { steps: 1, costUsd, lastCall: { inputTokens: 0, outputTokens: 0, costUsd } }
}

// EVIDENCE-OF docs/reference/graph-rules.md: `runOf(config)?.budget` has `timeLeftMs`, `stepsLeft` and `wrapUp`
test('reads the clock and the usage live', () => {
  const lastCall = { inputTokens: 0, outputTokens: 0, costUsd: 0 }
  const spent = {
    steps: 0,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    lastCall,
    hasAskedPastSoftDeadline: false,
  }
  let elapsed = 0
  const live = new Budget(LIMITS, spent, () => elapsed, NEW)
  expect([live.timeLeftMs, live.toolCallsLeft, live.wrapUp]).toEqual([1000, 9, undefined])
  elapsed = 299
  spent.steps = 7
  expect([live.timeLeftMs, live.toolCallsLeft, live.wrapUp]).toEqual([701, 2, undefined])
  elapsed = 300
  expect(live.wrapUp).toBe('soft_deadline')
})

test('reserves a step for the answer after the tools', () => {
  const left = (steps: number) => budget({ spent: { steps } }).toolCallsLeft
  expect([0, 1, 8, 9, 10, 11].map(left)).toEqual([9, 8, 1, 0, 0, 0])
})

test.each<Case & { reads?: number; cap: number | undefined }>([
  { cap: undefined },
  { limits: { maxOutputTokens: 100 }, cap: 100 },
  { limits: { maxOutputTokens: 100 }, spent: { outputTokens: 30 }, cap: 70 },
  { limits: { maxOutputTokens: 100 }, spent: { outputTokens: 130 }, cap: 0 },
  { limits: { maxOutputTokens: 100 }, spent: { inputTokens: 500 }, reads: 500, cap: 100 },
  { limits: { maxTotalTokens: 100 }, reads: 20, cap: 80 },
  { limits: { maxTotalTokens: 100 }, spent: { inputTokens: 30, outputTokens: 10 }, reads: 20, cap: 40 },
  { limits: { maxTotalTokens: 100 }, reads: 120, cap: 0 },
  { limits: { maxTotalTokens: 100, maxOutputTokens: 50 }, reads: 20, cap: 50 },
  { limits: { maxTotalTokens: 100, maxOutputTokens: 50 }, reads: 70, cap: 30 },
])('a call may generate what both caps leave: $limits, $spent, reads $reads → $cap', given => {
  expect(budget(given).outputCap(given.reads ?? 0)).toBe(given.cap)
})

test.each<Case & { why: LimitReason | undefined }>([
  { why: undefined },
  { elapsed: 299, why: undefined },
  { elapsed: 300, why: 'soft_deadline' },
  { spent: { steps: 7 }, why: undefined },
  { spent: { steps: 8 }, why: 'max_steps' },
  { limits: { maxSteps: 3 }, why: undefined },
  { limits: { maxSteps: 2 }, why: 'max_steps' },
  { limits: { maxOutputTokens: 90 }, spent: oneCall(500, 30), why: undefined },
  { limits: { maxOutputTokens: 89 }, spent: oneCall(500, 30), why: 'max_tokens' },
  { limits: { maxTotalTokens: 90 }, spent: oneCall(20, 10), why: undefined },
  { limits: { maxTotalTokens: 89 }, spent: oneCall(20, 10), why: 'max_total_tokens' },
  { limits: { maxCostUsd: 0.75 }, spent: costly(0.25), why: undefined },
  { limits: { maxCostUsd: 0.74 }, spent: costly(0.25), why: 'max_cost' },
])('stops offering tools: $limits, $spent, $elapsed ms → $why', ({ why, ...given }) => {
  expect(budget(given).wrapUp).toBe(why)
})

test.each<Case & { left: number }>([
  { left: 300 },
  { elapsed: 100, left: 200 },
  { elapsed: 400, left: -100 },
  { limits: { answerByMs: 999 }, elapsed: 100, left: 899 },
  // Without a soft deadline, a fifth of the time is kept for the answer.
  { limits: { answerByMs: 1000 }, elapsed: 100, left: 700 },
])('an answer must begin in $left ms: $limits, $elapsed ms', ({ left, ...given }) => {
  expect(budget(given).answerLeftMs).toBe(left)
})

test.each<Case & { has: boolean }>([
  { elapsed: 500, has: true },
  { elapsed: 501, has: false },
  { elapsed: 300, spent: { hasAskedPastSoftDeadline: true }, has: false },
  { elapsed: 300, spent: { steps: 8 }, has: false },
  { elapsed: 600, spent: { steps: 8, hasAskedPastSoftDeadline: true }, has: false },
])('past the soft deadline another round fits: $elapsed ms, $spent → $has', ({ has, ...given }) => {
  expect(budget(given).hasLastRound).toBe(has)
  expect(budget(given).isLastRound).toBe(given.spent?.hasAskedPastSoftDeadline ?? false)
})

test.each<Case & { reads: number; pays: number }>([
  { reads: 100, pays: Number.POSITIVE_INFINITY },
  { limits: { maxCostUsd: 1 }, reads: 100, pays: 450 },
  { limits: { maxCostUsd: 1 }, spent: costly(0.5), reads: 100, pays: 200 },
])('the money left pays for $pays tokens: $limits, $spent, reads $reads', ({ pays, reads, ...given }) => {
  expect(budget(given).affordable(priceAt({ input: 1_000, output: 2_000 }), reads)).toBe(pays)
})

test.each<Case & { reads?: number; why: LimitReason | undefined }>([
  { why: undefined },
  { elapsed: 999, why: undefined },
  { limits: { maxOutputTokens: 30 }, spent: { outputTokens: 29 }, why: undefined },
  { limits: { maxOutputTokens: 30 }, spent: { outputTokens: 30 }, why: 'max_tokens' },
  { limits: { maxTotalTokens: 30 }, reads: 29, why: undefined },
  { limits: { maxTotalTokens: 30 }, reads: 30, why: 'max_total_tokens' },
])('allows no more calls: $limits, $spent, reads $reads → $why', ({ why, reads = 0, ...given }) => {
  expect(budget(given).tokenRefusal(reads)).toBe(why)
})

test.each<{ reason: LimitReason | 'deadline'; text: string }>([
  { reason: 'max_tokens', text: 'the cap of 7 generated tokens (max_tokens)' },
  { reason: 'max_total_tokens', text: "the agent's cap of 8 tokens read and generated" },
  { reason: 'max_cost', text: "the agent's limit of $0.5 for a run" },
  { reason: 'max_steps', text: 'the limit of 10 steps' },
  { reason: 'soft_deadline', text: 'the 0.3 s allowed for an answer' },
  { reason: 'repeated_calls', text: 'the limit of three turns with the same tool calls' },
  { reason: 'deadline', text: 'the time limit of 1 s' },
])('$reason is called "$text"', ({ reason, text }) => {
  expect(describeLimit(reason, { ...LIMITS, maxOutputTokens: 7, maxTotalTokens: 8, maxCostUsd: 0.5 })).toBe(
    text,
  )
})

test('every limit has a reason to wrap up but the hard deadline, and so have repeated calls', () => {
  expect(limitReasons).toEqual([
    'soft_deadline',
    'max_steps',
    'max_tokens',
    'max_total_tokens',
    'max_cost',
    'repeated_calls',
  ])
})

test.each<[limits: Partial<Limits>, text: string]>([
  [{ maxOutputTokens: 7, maxTotalTokens: 8 }, 'the cap of 7 generated tokens (max_tokens)'],
  [{ maxTotalTokens: 8, maxCostUsd: 0.5 }, "the agent's cap of 8 tokens read and generated"],
  [{ maxCostUsd: 0.5 }, "the agent's limit of $0.5 for a run"],
  [{}, "the model's own limit"],
])('the cap behind a call under %j is called "%s"', (limits, text) => {
  expect(describeCap({ ...LIMITS, ...limits })).toBe(text)
})

test('the stream tells limits in its own names, times in seconds, and no limit as null', () => {
  const limits = { timeoutMs: 110_000, answerByMs: 25_000, maxSteps: 50, maxOutputTokens: 7, maxCostUsd: 0.5 }
  expect(JSON.stringify(runStartedData(['add'], limits))).toBe(
    '{"tools":["add"],"limits":{"answer_by_sec":25,"timeout_sec":110,"max_steps":50,"max_output_tokens":7,"max_total_tokens":null,"max_cost_usd":0.5}}',
  )
  expect(limitNearData('answerByMs', 20_000, 25_000)).toEqual({ limit: 'answer_by_sec', used: 20, of: 25 })
  expect(limitNearData('maxCostUsd', 0.4, 0.5)).toEqual({ limit: 'max_cost_usd', used: 0.4, of: 0.5 })
})

test('names a limit of one step in the singular', () => {
  expect(describeLimit('max_steps', { ...LIMITS, maxSteps: 1 })).toBe('the limit of 1 step')
})
