/** The tools that ship, worded for tests. */
import { calculate } from '@agent-task-service/starter/calculator'
import { codeArguments, runCode } from '@agent-task-service/starter/code'
import { answerTime, timeArguments } from '@agent-task-service/starter/time'
import { createSearch } from '@agent-task-service/starter/web-search'
import {
  type SearchSettings,
  type SearchVariables,
  searchSettings,
} from '@agent-task-service/starter/web-search/settings'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'

export const calculator = tool(({ expression }) => calculate(expression), {
  name: 'calculator',
  description: 'Calculates.',
  schema: z.strictObject({ expression: z.string() }),
  metadata: { readOnlyHint: true, idempotentHint: true, instantHint: true },
})

export const code = tool(runCode, {
  name: 'code',
  description: 'Runs JavaScript.',
  schema: codeArguments,
  metadata: { readOnlyHint: true, idempotentHint: true },
})

/** @param clock returns the present in milliseconds since 1970 */
export function createTime(clock = () => Date.now()) {
  return tool((args, config) => answerTime(args, clock(), config), {
    name: 'time',
    description: 'Tells the time.',
    schema: timeArguments,
    metadata: { readOnlyHint: true, instantHint: true },
  })
}

export function createWebSearch(settings: SearchSettings) {
  const { scope, search } = createSearch(settings)
  return tool(({ query, read }, config) => search(query, read, config), {
    name: 'web_search',
    description: `Searches ${scope}.`,
    schema: z.object({ query: z.string(), read: z.coerce.string().optional() }),
    responseFormat: 'content_and_artifact',
    metadata: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  })
}

/** `web_search` over a server of tests, which is search engine and web at once. */
export const createLocalSearch = (url: string) =>
  createWebSearch({
    engines: [{ provider: 'searxng', url }],
    ports: [Number(new URL(url).port)],
    privateHosts: ['127.0.0.1'],
  })

export const tools = {
  calculator,
  code,
  time: createTime(),
  webSearch: (settings: SearchVariables) => createWebSearch(searchSettings(settings)),
}
