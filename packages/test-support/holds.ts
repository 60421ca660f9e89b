import fc from 'fast-check'
import { isAtLength } from './at-length.ts'
import { askedSeed } from './random.ts'

/** Mutants face few cases: a mutant's damage shows in the first. */
const { PROPERTY_TIMES = isAtLength ? '30' : '1' } = process.env
/** The seed of every day, so that a failure is nobody else's. */
export const propertySeed = askedSeed ?? 20_261_122

/**
 * Checks a property on this many cases. On a failure, fast-check shrinks the case and reports it with its seed and
 * path.
 */
export async function holds<Case extends [unknown, ...unknown[]]>(
  cases: number,
  property: fc.IAsyncPropertyWithHooks<Case> | fc.IPropertyWithHooks<Case>,
  found: Case[] = [],
): Promise<void> {
  await fc.assert(property as fc.IAsyncPropertyWithHooks<Case>, {
    seed: propertySeed,
    numRuns: Math.ceil(cases * Number(PROPERTY_TIMES)),
    examples: found,
  })
}

/** A text, or bytes, cut into pieces anywhere; some of them empty. */
export function splits<Whole extends string | Uint8Array>(whole: fc.Arbitrary<Whole>): fc.Arbitrary<Whole[]> {
  return whole.chain(given =>
    fc
      .array(fc.nat({ max: given.length }), { maxLength: 12 })
      .map(places => [0, ...places.sort((a, b) => a - b), given.length])
      .map(places => places.slice(1).map((place, index) => given.slice(places[index], place) as Whole)),
  )
}
