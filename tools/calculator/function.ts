import { ToolError } from '../tool.ts'
import type { Arithmetic } from './arithmetic.ts'
import type { Real } from './decimals.ts'
import { bare, type Quantity, unitText } from './quantity.ts'

/** What a function gets beside its arguments. */
export interface CallContext {
  readonly arithmetic: Arithmetic
  /** Lines told with the result, once each. */
  readonly notes: Set<string>
  /** The name as called, for error messages. */
  readonly name: string
}

/** A named function the calculator knows. Pure: the same arguments give the same result. */
export interface CalculatorFunction {
  readonly minimum: number
  readonly maximum: number
  /** How to call it, told when the number of arguments is wrong. */
  readonly usage: string
  apply(args: readonly Quantity[], context: CallContext): Quantity
}

/** A function that takes bare numbers and returns one. */
export function numeric(
  usage: string,
  minimum: number,
  maximum: number,
  apply: (context: CallContext, ...args: Real[]) => Real,
): CalculatorFunction {
  return {
    minimum,
    maximum,
    usage,
    apply: (args, context) => bare(apply(context, ...args.map(arg => plain(arg, context.name)))),
  }
}

/** Requires a bare number. */
export function plain(value: Quantity, name: string): Real {
  if (value.units.length === 0) return value
  throw new ToolError(
    `${name} takes a number without a unit, not one in ${unitText(value.units)}. Divide by the unit first.`,
  )
}

/** Requires a whole number from `lowest` to `highest`; a float error away from one counts as it. */
export function whole(context: CallContext, value: Real, lowest: number, highest: number): number {
  const tidy = context.arithmetic.tidy(value).number
  if (tidy.isInteger() && tidy.gte(lowest) && tidy.lte(highest)) return tidy.toNumber()
  throw new ToolError(
    `${context.name} needs a whole number from ${lowest} to ${highest.toLocaleString('en')} here, ` +
      `not ${tidy.toSignificantDigits(12)}.`,
  )
}
