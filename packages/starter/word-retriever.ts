import { bestMatches } from '@agent-task-service/engine/rank'
import type { Document } from '@langchain/core/documents'
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'

interface WordRetrieverInput extends BaseRetrieverInput {
  readonly documents: readonly Document[]
  /** How many documents it finds at most. */
  readonly k?: number
}

/**
 * A retriever that ranks documents by their words, with BM25, in this process. It reads the first 2,000 characters of each, and finds
 * none without a word of the query.
 *
 * @example
 * const retriever = new WordRetriever({ documents, k: 3 })
 * const found = await retriever.invoke('How long may I take to return goods?')
 */
export class WordRetriever extends BaseRetriever {
  override lc_namespace = ['agent-task-service', 'retrievers']
  readonly #documents: readonly Document[]
  readonly #k: number

  static override lc_name() {
    return 'WordRetriever'
  }

  constructor({ documents, k = 4, ...input }: WordRetrieverInput) {
    super(input)
    this.#documents = documents
    this.#k = k
  }

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    return bestMatches(query, this.#documents, [({ pageContent }) => pageContent], { most: this.#k })
  }
}
