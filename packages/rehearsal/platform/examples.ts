import type { TaskFile } from '../tasks/task.ts'

/** Tasks that need neither an API key nor a network. */
const SHIPPED = [
  'What is 15% of 240?',
  'How many kilometres are 26.2 miles?',
  'What day of the week was 4 July 1776?',
  'What time is it in Tokyo when it is noon in Lisbon?',
] as const

/** Takes some seconds without a language model too: time to stop a replica under it. */
const LONG = [
  'Seven computations, one after another:',
  ...[1, 2, 3, 4, 5, 6, 7].map(
    n => `Use code with {"code": "for (const end = Date.now() + 700; Date.now() < end;); ${n}"}`,
  ),
].join('\n')

/** Tasks to try first, at least one: the first of those that the checks ask, if they are the agent's own. */
export function examplesOf(tasks: TaskFile | undefined, hasReplicas = false): readonly [string, ...string[]] {
  const own = (tasks?.tasks ?? []).filter(({ config }) => config === undefined).map(({ input }) => input)
  const [first = SHIPPED[0], ...others] = own.length > 0 ? own.slice(0, SHIPPED.length) : SHIPPED
  return [first, ...others, ...(hasReplicas ? [LONG] : [])]
}
