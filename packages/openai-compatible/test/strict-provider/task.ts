import type { Random } from '@agent-task-service/test-support/random'
import { tool } from '@langchain/core/tools'
import { digitsOf } from './text.ts'

export interface Call {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What the model does in a run: rounds of calls, then an answer that quotes their results. */
export interface Task {
  readonly input: string
  readonly rounds: readonly (readonly Call[])[]
  /** Behind the results in the answer. */
  readonly closing: string
}

/** Ordinary text that a reader of markup could take for some. */
const CLOSINGS: readonly string[] = [
  'That is all.',
  'Größe: 3 µm, naïve café 日本語 👩‍👩‍👧 🚀.',
  'A model writes `<tool_call>` before a call and `</tool_call>` behind it.',
  'In code:\n\n```xml\n<function=add>\n<parameter=a>1</parameter>\n</function>\n```\n\nThat is how it looks.',
  'The token `<|im_end|>` ends a turn, and `</s>` a text.',
  'As JSON: {"name": "nobody", "arguments": {}} – and so on.',
  'if (a < b && c > d) { return "<think>" }',
  'See [the list][1] and <https://example.org/a?b=c&d=e>.',
  '| a | b |\n| --- | --- |\n| 1 | 2 |',
  'Action: none is needed.',
]

const WORDS = ['ab', 'Größe', '日本', 'a "b"', 'c\\d', '🚀', 'x<y', 'line\nbreak', '{}', '007'] as const
const CODES = ['0042', 'A-7', '1e3', 'true', '42', 'null', 'é/ü'] as const

/** @param isParallel whether a turn may have more than one call */
export function drawTask(random: Random, isParallel: boolean): Task {
  const words = () => Array.from({ length: random.whole(2, 3) }, () => random.pick(WORDS))
  // 19 digits, odd in the last: no double holds it.
  const number = () => BigInt(`${random.whole(1, 8)}${'0'.repeat(16)}${random.whole(10, 99)}`) + 1n
  const draws: readonly (() => Call)[] = [
    () => ({ name: 'join_words', args: { words: words(), glue: random.pick(['-', '+', '/']) } }),
    () => ({ name: 'next_number', args: { number: number() } }),
    () => ({ name: 'look_up', args: { code: random.pick(CODES), place: { city: 'Kyōto', tags: words() } } }),
    // An empty result.
    () => ({ name: 'join_words', args: { words: [], glue: '-' } }),
    // Half a character.
    () => ({ name: 'cut', args: { text: 'up 🚀' } }),
  ]
  const calls = Array.from({ length: random.whole(2, 4) }, () => random.pick(draws)())
  // A service may take two equal calls for one.
  const different = calls.filter(
    (call, at) => calls.findIndex(other => digits(other) === digits(call)) === at,
  )
  const rounds: Call[][] = []
  for (const call of different) {
    const last = rounds.at(-1)
    if (isParallel && last && random.happens(0.6)) last.push(call)
    else rounds.push([call])
  }
  const input = random.happens(0.2) ? 'Say \ud83d what these are.' : 'What are these?'
  return { input, rounds, closing: random.pick(CLOSINGS) }
}

/** A call as text, to compare it with another. */
export function digits(call: { readonly name: string; readonly args: unknown }): string {
  return JSON.stringify([call.name, call.args], (_key, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

/** What a tool of the task returns. */
export function resultOf({ name, args }: Call): string {
  const { words = [], glue = '', number, code, place, text = '' } = args as Arguments
  if (name === 'join_words') return words.join(glue)
  if (name === 'next_number') return String(BigInt(digitsOf(number)) + 1n)
  if (name === 'look_up') return `${code} in ${place?.city}: ${place?.tags.join()}`
  return text.slice(0, -1)
}

interface Arguments {
  readonly words?: readonly string[]
  readonly glue?: string
  readonly number?: unknown
  readonly code?: string
  readonly place?: { readonly city: string; readonly tags: readonly string[] }
  readonly text?: string
}

/** The answer of a model that was shown these results. */
export function answerTo({ closing }: Task, results: readonly string[]): string {
  return `Found ${results.filter(text => text !== '').join(' and ')}.\n\n${closing}`
}

export function expectedOutput(task: Task): string {
  return answerTo(
    task,
    task.rounds.flat().map(call => resultOf(call).toWellFormed()),
  )
}

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const needs = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) })
const SCHEMAS: Readonly<Record<string, object>> = {
  join_words: needs({ words: texts, glue: text }),
  next_number: needs({ number: {} }),
  look_up: needs({ code: text, place: needs({ city: text, tags: texts }) }),
  cut: needs({ text }),
}

/** The schema that some providers refuse: the tool is offered and never called. */
const ODD = {
  type: 'object',
  properties: { root: { $ref: '#/$defs/node' } },
  $defs: { node: { type: 'object', properties: { kind: { const: 'a' }, next: { $ref: '#/$defs/node' } } } },
}

/**
 * The tools of a run.
 *
 * @param ran gets each call that ran
 * @param others how many more are offered
 */
export function taskTools(ran: Call[], others: number, oddAt: number) {
  const run = (name: string) => (args: unknown) => {
    const call = { name, args: args as Call['args'] }
    ran.push(call)
    return resultOf(call)
  }
  const make = ([name, schema]: [string, object]) =>
    tool(run(name), {
      name,
      description: `Does ${name}.`,
      schema: schema as never,
      metadata: { readOnlyHint: true },
    })
  const more = Array.from({ length: others }, (_, at): [string, object] => [`other_${at}`, needs({ text })])
  return [...Object.entries(SCHEMAS), ...more].toSpliced(oddAt, 0, ['odd', ODD]).map(make)
}
