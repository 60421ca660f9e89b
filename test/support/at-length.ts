/**
 * Whether all cases are tried, which takes minutes: `npm run soak` does so with every test file that imports this.
 * `npm test` tries a few of each kind.
 */
export const isAtLength = process.env.AT_LENGTH === 'yes'

/** So many at length, and a few otherwise. */
export const crowd = (atLength: number, few: number): number => (isAtLength ? atLength : few)

/** All at length, and one in `few` otherwise. */
export const some = <Case>(cases: readonly Case[], few: number): Case[] =>
  cases.filter((_, index) => isAtLength || index % few === 0)
