import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Replaces what stands between `<!-- name -->` and `<!-- /name -->` in a page of `docs/` in the current folder.
 *
 * @throws {Error} if the marks are missing
 */
export function replaceRegion(page: string, name: string, content: string): void {
  const file = `docs/${page}`
  const text = readFileSync(file, 'utf8')
  const region = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*(<!-- /${name} -->)`)
  if (!region.test(text)) throw new Error(`expected a region ${name} in docs/${page}`)
  const updated = text.replace(region, (_, start: string, end: string) => `${start}${content}\n${end}`)
  writeFileSync(file, updated)
}
