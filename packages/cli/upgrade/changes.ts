import { readFileSync } from 'node:fs'

/**
 * What a changelog says since a version: what was removed in full, of the rest how much there is.
 *
 * @param path of a file in the format of Keep a Changelog
 */
export function changelogSince(version: string, path: string): string {
  const [, ...releases] = readFileSync(path, 'utf8').split(/^(?=## )/m)
  const later = releases.filter(release => {
    const [, released] = /^## \[([\d.]+)\]/.exec(release) ?? []
    return released === undefined || isOlder(version, released)
  })
  const parts = later.flatMap(release => release.split(/^(?=### )/m).slice(1))
  const counts = Object.entries(Object.groupBy(parts, titleOf)).map(
    ([title, same = []]) => `${same.join('').match(/^- /gm)?.length ?? 0} ${title.toLowerCase()}`,
  )
  if (counts.length === 0) return 'The changelog has nothing since then.'
  const removed = parts
    .filter(part => titleOf(part) === 'Removed')
    .map(part => part.replace(/^.*\n+/, '').trim())
  return [
    `${path} has ${counts.join(', ')}.`,
    ...(removed.length > 0 ? ['', 'Removed:', ...removed] : []),
  ].join('\n')
}

function titleOf(part: string): string {
  return part.slice('### '.length, part.indexOf('\n'))
}

/** Whether the first of two versions, such as `0.2.0`, is the older one. */
export function isOlder(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0
}
