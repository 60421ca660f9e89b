import table from './abbreviations.json' with { type: 'json' }
import type { Zone, ZoneMatch } from './zone.ts'

/**
 * The likely readings of each abbreviation: a fixed offset, the full name, and a zone that observes the offset all year
 * or part of it, so that a note can say when it does not. An ambiguous abbreviation is answered in every reading here.
 */
const meant = zonesOf(table.meant)
/** Less likely readings, mentioned only in a note. */
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

/** Recognises an abbreviation or its full name, in any case. */
export function findAbbreviation(text: string): ZoneMatch | undefined {
  const key = text.toLowerCase()
  // JavaScript writes `Central European Standard Time`.
  const readings = meant.get(key) ?? meant.get(key.replace(/ standard time$/, ' time'))
  if (!readings) return undefined
  const [{ label, detail }] = readings as [Zone]
  const named = (zones: readonly Zone[]) => zones.map(({ detail, id }) => `${detail} (UTC${id})`).join(', ')
  const rest = named(lesser.get(key) ?? [])
  const ambiguous =
    `"${label}" is ambiguous: ${named(readings)}; each reading is given. Name a city to choose one.` +
    (rest && ` It may even mean ${rest}.`)
  const likely = rest && `"${label}" is read as ${detail}; it may also mean ${rest}.`
  const note = readings.length > 1 ? ambiguous : likely
  return { kind: 'abbreviation', readings, notes: note ? [note] : [] }
}
