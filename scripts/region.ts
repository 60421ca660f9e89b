/**
 * Replaces what stands between `<!-- name -->` and `<!-- /name -->` in a page.
 *
 * @throws {Error} if the marks are missing
 */
export function replaceRegion(page: string, name: string, content: string): string {
  const region = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*(<!-- /${name} -->)`)
  if (!region.test(page)) throw new Error(`expected a region ${name} in the page`)
  return page.replace(region, (_, start: string, end: string) => `${start}${content}\n${end}`)
}
