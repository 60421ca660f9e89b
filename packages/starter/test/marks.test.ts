import { calculate } from '@agent-task-service/starter/calculator'
import { holds } from '@agent-task-service/test-support/holds'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/** The value, with its notes; `undefined` if it is refused. */
async function answer(expression: string): Promise<[value: number, notes: string] | undefined> {
  const text = await calculate(expression).catch((error: Error) => {
    expect(error.name).toBe('ToolError')
  })
  const [first = '', ...notes] = text?.split('\n') ?? []
  const [, value] = / [=≈] (-?[\d.]+(?:e-?\d+)?)[^=≈]*(?: ≈ [^=≈]+)?$/.exec(first) ?? []
  return text ? [Number(value), notes.join('\n')] : undefined
}

type Template = readonly [value: (a: number, b: number) => number, write: (a: string, b: string) => string]

const TEMPLATES: readonly Template[] = [
  [a => a, a => a],
  [(a, b) => a * b, (a, b) => `${a} * ${b}`],
  [(a, b) => a + b, (a, b) => `${a} + ${b}`],
  [(a, b) => (a + b) * 3, (a, b) => `(${a} + ${b}) * 3`],
  [a => a * 0.19, a => `19% of ${a}`],
  [a => a * 0.19, a => `19% von ${a}`],
  [a => a * 0.19, a => `${a} * 0.19`],
  [a => a * 0.85, a => `$${a} - 15%`],
  [a => a * 3, a => `${a} € * 3`],
  [a => a * 1000, a => `${a} km to m`],
  [a => Math.sqrt(a), a => `sqrt(${a})`],
  [(a, b) => Math.max(a, b), (a, b) => `max(${a}, ${b})`],
  [(a, b) => Math.max(a, b), (a, b) => `max(${a}; ${b})`],
]
const written = fc.record({
  locale: fc.constantFrom('en-US', 'en-IN', 'de-DE', 'de-CH', 'fr-FR', 'es-ES', 'it-IT', 'pt-BR', 'sv-SE'),
  template: fc.constantFrom(...TEMPLATES),
  whole: fc.array(fc.oneof(fc.nat(999), fc.nat(9_999_999)), { minLength: 2, maxLength: 2 }),
  part: fc.nat(9_999),
  decimals: fc.constantFrom(0, 0, 1, 2, 3, 3, 4),
  useGrouping: fc.boolean(),
})

// EVIDENCE-OF docs/decisions/calculator.md: A mark before exactly three digits is never read without a word
test('a number of any language is right, refused, or told', async () => {
  const isRight = fc.asyncProperty(
    written,
    async ({ locale, template, whole, part, decimals, useGrouping }) => {
      const [value, write] = template
      // Money has no thousandths.
      const places = /[$€]/.test(write('', '')) ? Math.min(decimals, 2) : decimals
      const numbers = whole.map(one => Number((one + part / 10_000).toFixed(places)))
      const [a, b] = numbers as [number, number]
      const shown = numbers.map(one =>
        one.toLocaleString(locale, { minimumFractionDigits: places, useGrouping }),
      )
      const [result, notes] = (await answer(write(shown[0]!, shown[1]!))) ?? [value(a, b), '']
      const isTold = /^(?:Points were|(\S+) was) /m.exec(notes)
      if (isTold && shown.some(one => one.startsWith(isTold[1] ?? ''))) return
      const difference = Math.abs(result - value(a, b))
      expect(difference, `${write(shown[0]!, shown[1]!)}: ${result}`).toBeLessThanOrEqual(1e-9 * result)
    },
  )
  await holds(500, isRight)
})
