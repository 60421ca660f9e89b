export const PERSON = 'person'
export const ANYONE = 'anyone'

/** Whose runs to show; those of the acceptance checks would distort the figures of people's runs. */
export const RUN_BY = [
  [PERSON, 'People'],
  ['checks', 'The checks'],
  [ANYONE, 'Anyone'],
] as const

/** As the platform's API expects it. */
export function byOf(value: string): string | null {
  return value === ANYONE ? null : value
}
