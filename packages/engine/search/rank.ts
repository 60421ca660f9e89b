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

/** Scripts without spaces between words. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}`
const WORDS = new RegExp(String.raw`(?<unspaced>[${UNSPACED}]+)|[[\p{L}\p{N}]--[${UNSPACED}]]+`, 'gv')

/** `m^2` is found by `m²` and by `m2`. */
const RAISED = /(?<=[\p{L}\p{N}])[\^_](?=\p{N})/gu

/** Words of a question that say nothing about its answer. */
const STOP_WORDS = new Set(
  wordsOf(
    'a an and are at be by did do does for from had has have how in is it its many much of on or that the this to was were what when where which who whose why will with der die das den dem des ein eine ist und von wie viel viele wer wann wo le la les un une du de et est qui que quel quelle el los las en es y cuando donde',
  ),
)

/** The words of a query that say something about its answer; all, if none does. */
export function queryWords(query: string): string[] {
  const words = [...new Set(wordsOf(query))]
  const telling = words.filter(word => !STOP_WORDS.has(word))
  return telling.length > 0 ? telling : words
}

/** Words without case, accents and endings; in scripts without spaces, pairs of characters. */
export function wordsOf(text: string): string[] {
  const joined = text.replace(RAISED, '')
  const plain = joined.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC').toLowerCase()
  return [...plain.matchAll(WORDS)].flatMap(({ 0: word, groups }) => {
    const letters = groups!.unspaced === undefined ? [] : [...word]
    if (letters.length < 2) return [stem(word)]
    return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)
  })
}

/** Removes English endings. Other languages mostly keep theirs, in query and text alike. */
function stem(word: string): string {
  return word.length < 5 ? word : word.replace(/(?:ies|ing|ed|es|s|ly|y|e)$/, '')
}
