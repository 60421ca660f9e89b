import { BM25Retriever } from '@langchain/community/retrievers/bm25'
import { Document } from '@langchain/core/documents'

/** How much of a passage is considered, in characters. */
const MAX_TEXT = 2_000
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

/**
 * Ranks texts by how well they match a query, by Okapi BM25 with LangChain's retriever.
 *
 * @returns a score for each text; 0 if it has no word of the query
 */
export async function rank(query: string, texts: readonly string[]): Promise<number[]> {
  const docs = texts.map(
    (text, index) =>
      new Document({ pageContent: encoded(wordsOf(text.slice(0, MAX_TEXT))), metadata: { index } }),
  )
  const scores = texts.map(() => 0)
  const queryWords = [...new Set(wordsOf(query))]
  const contentWords = queryWords.filter(word => !STOP_WORDS.has(word))
  const words = encoded(contentWords.length > 0 ? contentWords : queryWords)
  if (docs.length === 0 || words === '') return scores
  const retriever = new BM25Retriever({ docs, k: docs.length, includeScore: true })
  for (const { metadata } of await retriever.invoke(words)) scores[metadata.index] = metadata.bm25Score
  return scores
}

/**
 * Encodes words for the retriever, which only knows ASCII words and would find `art` in `start`: each becomes
 * hexadecimal digits between underscores.
 */
function encoded(words: readonly string[]): string {
  return words.map(word => `_${Buffer.from(word).toString('hex')}_`).join(' ')
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
