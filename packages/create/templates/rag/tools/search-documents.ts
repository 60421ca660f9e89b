import type { Source } from '@agent-task-service/engine/tool'
import { WordRetriever } from '@agent-task-service/starter/word-retriever'
import { Document } from '@langchain/core/documents'
import type { BaseRetriever } from '@langchain/core/retrievers'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import entries from './documents.json' with { type: 'json' }

const documents = entries.map(
  ({ title, url, text }) => new Document({ pageContent: `${title}: ${text}`, metadata: { title, url } }),
)
/** Any retriever of LangChain can take its place: `vectorStore.asRetriever(3)`, with title and url in the metadata. */
const retriever: BaseRetriever = new WordRetriever({ documents, k: 3 })

export const searchDocuments = tool(
  async ({ query }, config) => {
    const found = await retriever.invoke(query, config)
    const sources = found.map(
      ({ metadata: { title, url } }, index): Source => ({ number: index + 1, title, url }),
    )
    const passages = found.map(({ pageContent, metadata }) => `${pageContent}\nSource: ${metadata.url}`)
    return [passages.join('\n\n') || 'No document matches.', { sources }]
  },
  {
    name: 'search_documents',
    description:
      "Searches the shop's pages about orders, delivery, returns, warranty, payment and opening hours.",
    schema: z.object({ query: z.string().describe('A few words') }),
    // The sources are in the run's events.
    responseFormat: 'content_and_artifact',
    metadata: { readOnlyHint: true, idempotentHint: true, instantHint: true },
  },
)
