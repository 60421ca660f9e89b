import table from './abbreviations.json' with { type: 'json' }
import type { Zone, ZoneMatch } from './zone.ts'

/**
 * Abbreviations with what they mean: a fixed offset, a zone that keeps it for part of the year or always, so that a note
 * can say when it does not, and the full name. Several readings that are `meant` are all answered.
 */
const meant = zonesOf(table.meant)
/** Readings that are only noted. */
const lesser = zonesOf(table.lesser)
for (const zone of [...meant.values(), ...lesser.values()].flat())
  meant.set(zone.detail.replace(/,.*/, '').toLowerCase(), [zone])

function zonesOf(list: Readonly<Record<string, readonly (readonly string[])[]>>): Map<string, Zone[]> {
  const zones = Object.entries(list).map(([label, rows]): [string, Zone[]] => [
    label.toLowerCase(),
    rows.map(([id = '', keptBy = '', detail = '']) => ({ id, label, detail, keptBy })),
  ])
  return new Map(zones)
}

/** Recognises an abbreviation, or the full name of one, in any case. */
export function findAbbreviation(text: string): ZoneMatch | undefined {
  const key = text.toLowerCase()
  // JavaScript writes `Central European Standard Time`.
  const readings = meant.get(key) ?? meant.get(key.replace(/ standard time$/, ' time'))
  if (!readings) return undefined
  const named = (zones: readonly Zone[]) => zones.map(({ detail, id }) => `${detail} (UTC${id})`).join(', ')
  const rest = named(lesser.get(key) ?? [])
  const notes: string[] = []
  if (readings.length > 1)
    notes.push(
      `"${readings[0]!.label}" is ambiguous: ${named(readings)}; each reading is given. Name a city to choose one.` +
        (rest && ` It may even mean ${rest}.`),
    )
  else if (rest)
    notes.push(`"${readings[0]!.label}" is read as ${readings[0]!.detail}; it may also mean ${rest}.`)
  return { kind: 'abbreviation', readings, notes }
}
