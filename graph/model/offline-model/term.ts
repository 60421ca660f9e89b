import type { Found } from './text.ts'

/** Part of an expression in the calculator's notation. */
export interface Term {
  readonly code: string
  /** Whether there is anything to calculate: an operation, a function, a constant. */
  readonly asks: boolean
  readonly kind: 'number' | 'quantity' | 'percent' | 'other'
  /** The end of a worded list such as "the sum of 3 and 4": an operator after it could belong to either. */
  readonly closed?: boolean
}
export type FoundTerm = Found<Term> | undefined

export function asking(code: string): Term {
  return { code, asks: true, kind: 'other' }
}
