import { createSearch, MAX_QUERY } from '@agent-task-service/starter/web-search'
import {
  type SearchSettings,
  type SearchVariables,
  searchSettings,
} from '@agent-task-service/starter/web-search/settings'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'

const schema = z.object({
  query: z
    .string()
    .trim()
    .min(1)
    .max(MAX_QUERY)
    .describe('A few words')
    .meta({ minLength: undefined, maxLength: undefined }),
  read: z.coerce
    .string()
    .optional()
    .describe("Reads one page instead: a result's number, or an address from the task"),
})

/**
 * Creates the `web_search` tool for the configured engines. Its result is text, with the sources as its artifact.
 *
 * @example
 * const search = createWebSearch({ engines: [{ provider: 'wikipedia', url: 'https://en.wikipedia.org' }] })
 * const text = await search.invoke({ query: 'Mount Everest height' })
 */
export function createWebSearch(settings: SearchSettings) {
  const { scope, search } = createSearch(settings)
  return tool(({ query, read }, config) => search(query, read, config), {
    name: 'web_search',
    description: `Searches ${scope} for numbered passages.`,
    schema,
    responseFormat: 'content_and_artifact',
    metadata: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  })
}

/** The `web_search` tool with the settings in the environment. */
export const webSearch = (settings: SearchVariables) => createWebSearch(searchSettings(settings))
