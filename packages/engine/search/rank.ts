import { queryWords, wordsOf } from './words.ts'

export { queryWords, wordsOf } from './words.ts'

/** How much of a text is considered, in characters. */
const MAX_TEXT = 2_000
/** How soon further occurrences of a word stop to matter. */
const K1 = 1.2
/** How much a text's length matters. */
const B = 0.75

/**
 * Ranks texts by how well they match a query, by Okapi BM25 with its usual constants.
 *
 * @returns a score for each text; 0 if it has no word of the query
 */
export function rank(query: string, texts: readonly string[]): number[] {
  const documents = texts.map(text => wordsOf(text.slice(0, MAX_TEXT)))
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  const scores = texts.map(() => 0)
  for (const word of queryWords(query)) {
    const counts = documents.map(words => words.filter(each => each === word).length)
    const having = counts.filter(count => count > 0).length
    const rarity = Math.log((documents.length - having + 0.5) / (having + 0.5) + 1)
    for (const [index, count] of counts.entries()) {
      if (count === 0) continue
      const length = 1 - B + (B * documents[index]!.length) / mean
      scores[index]! += (rarity * (count * (K1 + 1))) / (count + K1 * length)
    }
  }
  return scores
}

interface Bounds {
  /** Most items. */
  readonly most: number
  /** How well one must match, as a share of the best match; absent: 0. */
  readonly leastShare?: number
}

/** Those of the items that match a query best, by the sum of their fields' scores; of equals the first. */
export function bestMatches<Item>(
  query: string,
  items: readonly Item[],
  fields: readonly ((item: Item) => string)[],
  { most, leastShare = 0 }: Bounds,
): Item[] {
  const byField = fields.map(textOf => rank(query, items.map(textOf)))
  const scores = items.map((_, at) => byField.reduce((sum, scores) => sum + scores[at]!, 0))
  const least = Math.max(...scores) * leastShare
  return items
    .map((item, index) => ({ item, score: scores[index]! }))
    .filter(({ score }) => score > 0 && score >= least)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ item }) => item)
}
