import { tool } from '@langchain/core/tools'
import type { BigNumber, FactoryFunctionMap } from 'mathjs'
import { z } from 'zod'
import { Arithmetic } from './calculator/arithmetic.ts'
import { arrange } from './calculator/arrange.ts'
import { type DecimalClass, type DecimalClasses, decimalClasses } from './calculator/decimals.ts'
import { evaluate } from './calculator/evaluate.ts'
import { type Expression, readTree } from './calculator/expression.ts'
import { resolveCall } from './calculator/names.ts'
import { decide } from './calculator/parts.ts'
import { renderExpression, renderValue } from './calculator/render.ts'
import { syntaxError, tokenize } from './calculator/tokens.ts'
import { ToolError } from './tool.ts'

const LONGEST = 1000

/** What is used of mathjs: its parser and its decimals, from an instance of our own that nobody configures. */
interface Mathematics {
  parse(text: string): unknown
  isNumber(value: unknown): value is BigNumber
  decimals: DecimalClasses
}

let mathematics: Promise<Mathematics> | undefined

/** Loads mathjs on first use, because that takes 0.2 seconds of the start otherwise. */
async function loadMathematics(): Promise<Mathematics> {
  const { create, parseDependencies } = await import('mathjs')
  const instance = create(parseDependencies as FactoryFunctionMap, { number: 'BigNumber', precision: 64 })
  const decimal = (instance as unknown as { BigNumber: DecimalClass }).BigNumber
  return {
    parse: text => instance.parse(text),
    isNumber: value => value instanceof decimal,
    decimals: decimalClasses(decimal),
  }
}

/**
 * Calculates one arithmetic expression. The result is `<expression as understood> = <value>`, then a line for each
 * assumption made. It runs in this thread: the grammar, the numbers' range and the work are bounded, so that no
 * expression takes more than a few milliseconds.
 */
export const calculator = tool(
  async ({ expression }) => {
    mathematics ??= loadMathematics().catch(error => {
      mathematics = undefined
      throw error
    })
    return calculate(expression, await mathematics)
  },
  {
    name: 'calculator',
    description:
      'Calculates one arithmetic expression exactly and returns "<expression> = <result>" with notes on assumptions. ' +
      'Use it for any arithmetic instead of working it out yourself. It takes + - * / ^ ! mod, parentheses, percentages ' +
      '("15% of 240", "240 + 15%"), functions (sqrt, cbrt, nthRoot, abs, round, floor, ceil, exp, ln, log10, ' +
      'log(x, base), sin, cos, tan, asin, atan2, gcd, lcm, factorial, combinations, min, max, mean, median, sum, ...), ' +
      'constants (pi, e, tau, phi) and units ("5 km to miles", "72 degF to degC", "3 hours in minutes", ' +
      '"100 km/h to mph"). Angles are radians unless a unit is given: sin(30 deg). No variables, equations, ' +
      'comparisons, dates, currencies or lists.',
    schema: z.object({
      expression: z
        .string()
        .describe(
          `One expression of at most ${LONGEST} characters, such as "(1,250 - 15%) / 3" or "5 km to miles"`,
        ),
    }),
  },
)

function calculate(typed: string, { parse, isNumber, decimals }: Mathematics): string {
  if (typed.length > LONGEST)
    throw new ToolError(
      `The expression has ${typed.length} characters; at most ${LONGEST} are allowed. Split it.`,
    )
  const notes = new Set<string>()
  const note = (line: string) => notes.add(line)
  const source = withoutPhrases(typed)
  if (source.trim() === '') throw new ToolError('The expression is empty. Give one such as "15% of 240".')
  const arranged = arrange(decide(tokenize(source, takesList, note), note))
  let tree: Expression
  try {
    tree = readTree(parse(arranged.text), isNumber)
  } catch (error) {
    if (error instanceof ToolError || !(error instanceof SyntaxError)) throw error
    throw explain(error, arranged.positions, source)
  }
  const value = evaluate(tree, { arithmetic: new Arithmetic(decimals), notes })
  return [`${renderExpression(tree)} = ${renderValue(value)}`, ...notes].join('\n')
}

/** Blanks out "What is" before the expression and drops "=" or "?" after it; positions stay the same. */
function withoutPhrases(typed: string): string {
  let end = typed.length
  while (end > 0 && /[\s=?＝]/.test(typed[end - 1]!)) end--
  const lead = /^\s*(?:=|what is |what's |calculate |compute |how much is )?\s*/i.exec(typed)?.[0] ?? ''
  return ' '.repeat(Math.min(lead.length, end)) + typed.slice(lead.length, end)
}

/** Whether commas inside the parentheses of this name separate arguments; those of sqrt(1,234) cannot. */
function takesList(name: string): boolean {
  const meaning = resolveCall(name)
  return meaning?.kind === 'function' && meaning.callee.maximum > 1
}

/** Turns the parser's complaint into one about what was typed. */
function explain(
  error: SyntaxError & { char?: number },
  positions: readonly number[],
  source: string,
): ToolError {
  const position = positions[(error.char ?? Number.POSITIVE_INFINITY) - 1]
  if (position === undefined)
    return syntaxError(
      source.length,
      'the expression ends where a value was expected. Complete it or drop the last operator.',
    )
  return syntaxError(
    position,
    `a value was expected at "${source.slice(position, position + 10)}". Check the operators before it.`,
  )
}
