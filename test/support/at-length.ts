/**
 * True to try every case, which takes minutes: `npm run soak` does so in every test file that imports this module.
 * `npm test` tries a sample of each kind.
 */
export const isAtLength = process.env.AT_LENGTH === 'yes'

/** `atLength` cases in a soak, otherwise `few`. */
export const crowd = (atLength: number, few: number): number => (isAtLength ? atLength : few)

/** All cases in a soak, otherwise one in `few`. */
export const some = <Case>(cases: readonly Case[], few: number): Case[] =>
  cases.filter((_, index) => isAtLength || index % few === 0)
