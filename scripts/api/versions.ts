/** Which version a change of the packages' API asks for, by semver. */
import type { PackageApi } from './package-api.ts'

/** What a release offers: by package, everything that a later version may not change without saying so by its number. */
export type Offers = Readonly<Record<string, readonly string[]>>

export interface Release {
  readonly version: string
  readonly offers: Offers
}

export interface Change {
  readonly added: readonly string[]
  /** What is declared in another way now is removed and added. */
  readonly removed: readonly string[]
}

/** Without the names that no door exports: one that is exported later breaks nothing. */
export function offersOf({ doors, imported, declarations }: PackageApi): string[] {
  const exported = Object.entries(doors).flatMap(([door, names]) => names.map(name => `${door}: ${name}`))
  return [...exported, ...imported, ...declarations]
}

/** A package that was not released yet has nothing to keep. */
export function changeSince(released: Offers, now: Offers): Change {
  const pairs = Object.entries(released).map(([name, before]) => ({ before, after: now[name] ?? [] }))
  return {
    added: pairs.flatMap(({ before, after }) => after.filter(entry => !before.includes(entry))),
    removed: pairs.flatMap(({ before, after }) => before.filter(entry => !after.includes(entry))),
  }
}

/** The lowest version that may have the change. Before 1.0.0, what is removed asks for a minor version, and what is added for a patch. */
export function versionFor({ added, removed }: Change, released: string): string {
  const [major = 0, minor = 0, patch = 0] = released.split('.').map(Number)
  const [breaking, compatible] =
    major === 0
      ? [`0.${minor + 1}.0`, `0.${minor}.${patch + 1}`]
      : [`${major + 1}.0.0`, `${major}.${minor + 1}.0`]
  if (removed.length > 0) return breaking
  return added.length > 0 ? compatible : released
}

export function isAtLeast(version: string, lowest: string): boolean {
  return version.localeCompare(lowest, 'en', { numeric: true }) >= 0
}
