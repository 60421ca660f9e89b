import names from './names.json' with { type: 'json' }

/** What to write instead of a name that people write and the calculator does not read, such as `NM`; any case. */
export function hintFor(name: string): string | undefined {
  const lower = name.toLowerCase()
  return Object.entries(names.hints).find(([list]) => list.split(', ').includes(lower))?.[1]
}
