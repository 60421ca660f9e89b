import { askedSeed, Random } from './random.ts'

/**
 * True to try every case, as `.ci/nightly` does, and `npm run test:faults` without `--sample`. Otherwise a suite tries a few, and
 * tells the seed that draws them.
 */
export const isAtLength = process.env.AT_LENGTH === 'yes'

/** `atLength` cases at length, otherwise `few`. */
export const crowd = (atLength: number, few: number): number => (isAtLength ? atLength : few)

/** The seeds from 1 to `atLength`, otherwise `few` of them, drawn; or the one that is asked for. */
export function seedsOf(atLength: number, few: number): readonly number[] {
  if (askedSeed !== undefined) return [askedSeed]
  const all = Array.from({ length: atLength }, (_, index) => index + 1)
  return some(all, Math.ceil(atLength / few))
}

/** All cases at length, otherwise one of each `few` neighbours, drawn. */
export function some<Case>(cases: readonly Case[], few: number): readonly Case[] {
  if (isAtLength) return cases
  const random = new Random(Number(process.env.SAMPLE_SEED))
  const groups = Math.ceil(cases.length / few)
  return Array.from({ length: groups }, (_, group) =>
    random.pick(cases.slice(group * few, (group + 1) * few)),
  )
}
