/**
 * True to try every case, which takes minutes. `npm test` tries one of a kind, `npm run test:world` all of them;
 * `npm run test:faults` all, or with `--sample` a few.
 */
export const isAtLength = process.env.AT_LENGTH === 'yes'

/** `atLength` cases at length, otherwise `few`. */
export const crowd = (atLength: number, few: number): number => (isAtLength ? atLength : few)

/** All cases at length, otherwise one in `few`. */
export const some = <Case>(cases: readonly Case[], few: number): Case[] =>
  cases.filter((_, index) => isAtLength || index % few === 0)
