import type { Asked, AskedCall } from '@agent-task-service/test-support/asked'
import { withoutNotice } from '@agent-task-service/test-support/openai-replies'
import { type Call, digits, resultOf } from './task.ts'
import { exactly } from './text.ts'
import type { Turn } from './turn.ts'

/** How far a conversation has come, and where it does not hold what the model did: each call as made, each with its result. */
export interface History {
  /** Turns of the model so far. */
  readonly turns: number
  readonly results: readonly string[]
  readonly problems: readonly string[]
}

/**
 * @param script the model's turns
 * @param madeUpName a call with it comes back under another name
 */
export function readHistory({ messages }: Asked, script: readonly Turn[], madeUpName?: string): History {
  const made = messages.flatMap(({ tool_calls: calls = [] }) => calls)
  const results = messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => withoutNotice(String(content)))
  const counts = script.map((_, turns) => script.slice(0, turns).flatMap(({ calls }) => calls).length)
  const turns = counts.indexOf(made.length)
  if (turns < 0 || results.length !== made.length) {
    const problem = `${made.length} calls and ${results.length} results, where the model made ${counts.join(', then ')}`
    return { turns: Math.max(0, turns), results, problems: [problem] }
  }
  const called = script.slice(0, turns).flatMap(({ calls }) => calls)
  const problems = called.flatMap((call, at) =>
    call.name === madeUpName ? [] : problemsOf(call, made[at]!, results[at]!),
  )
  return { turns, results, problems }
}

function problemsOf(call: Call, { function: made }: AskedCall, result: string): string[] {
  const expected = resultOf(call).toWellFormed()
  const isSame = digits({ name: made.name, args: unquoted(exactly(made.arguments)) }) === digits(call)
  return [
    ...(isSame ? [] : [`the history has ${made.name}(${made.arguments}) in place of ${digits(call)}`]),
    // An empty result is told in words.
    ...(expected === '' || result === expected
      ? []
      : [`the history has the result ${JSON.stringify(result)} in place of ${JSON.stringify(expected)}`]),
  ]
}

/** Arguments without the quotes around lists and objects, which go back as they came, or mended. */
function unquoted(args: unknown): unknown {
  const members = Object.entries(args ?? {}).map(([key, value]) => [
    key,
    typeof value === 'string' && /^[[{]/.test(value) ? exactly(value) : value,
  ])
  return Object.fromEntries(members)
}
