export const PERSON = 'person'
export const ANYONE = 'anyone'

/** Whose runs are meant: those of the acceptance checks are no measure of what people do. */
export const RUN_BY = [
  [PERSON, 'People'],
  ['checks', 'The checks'],
  [ANYONE, 'Anyone'],
] as const

/** As the platform's API takes it. */
export function byOf(value: string): string | null {
  return value === ANYONE ? null : value
}
