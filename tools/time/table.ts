import type { Zone } from './zone.ts'

/** A place in a zone. */
export function zone(label: string, id: string): Zone {
  return { id, label, detail: id }
}

/** The lines of a table. */
export function lines(table: string): string[] {
  return table.split('\n').filter(line => line !== '')
}

/** The lines of a table, each split at its first colon. */
export function rows(table: string): [string, string][] {
  return lines(table).map(line => {
    const colon = line.indexOf(': ')
    return [line.slice(0, colon), line.slice(colon + 2)]
  })
}

/** Reads `place (Zone), place (Zone)`; a place may hold commas. */
export function listed(list: string): Zone[] {
  return [...list.matchAll(/([^()]+?) \(([^)]+)\)(?:, )?/g)].map(([, label = '', id = '']) => zone(label, id))
}
