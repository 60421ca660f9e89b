import { BM25Retriever } from '@langchain/community/retrievers/bm25'
import { Document } from '@langchain/core/documents'
import { queryWords, wordsOf } from './words.ts'

/** How much of a passage is considered, in characters. */
const MAX_TEXT = 2_000
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
  const words = encoded(queryWords(query))
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
