import { testService } from '@agent-task-service/engine/testing'
import { countTokens } from '@agent-task-service/engine/tokens'
import { says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { expect, test } from 'vitest'
import { DEFAULT_SYSTEM_PROMPT, systemPromptFor } from '../../graph/prompts.ts'
import type { AgentContext } from '../../graph/state.ts'
import { agent } from '../../src/agent.ts'
import { calculator } from '../../tools/calculator.ts'
import { code } from '../../tools/code.ts'
import { time } from '../../tools/time.ts'
import { createWebSearch } from '../../tools/web-search.ts'

/** Sent with every model call of every run, so every token counts. Raise it if yours is worth more. */
const MOST_TOKENS = 520

// As in a fresh clone: a project with more tools sends more.
const BUILT_IN = ['calculator', 'code', 'time', 'web_search']
const ENGINES = {
  wikipedia: {},
  searxng: { SEARXNG_URL: 'http://127.0.0.1:9' },
  tavily: { TAVILY_API_KEY: 'tvly-0123456789' },
  brave: { BRAVE_API_KEY: 'brave-0123456789' },
}

test.each(Object.entries(ENGINES))(
  `with %s, prompt and schemas take at most ${MOST_TOKENS} tokens as sent`,
  async (SEARCH_PROVIDER, env) => {
    const server = await openAIServer(inTurn(says('Hello.')))
    const { run } = await testService(agent, { env: { ...server.env, ...env, SEARCH_PROVIDER } })
    await run('Hello', { enabled_tools: BUILT_IN })
    const { messages, tools = [] } = server.requests[0]!.body
    expect(tools).toHaveLength(BUILT_IN.length)
    const prompt = await countTokens(String(messages[0]!.content))
    const schemas = await countTokens(JSON.stringify(tools))
    expect(prompt + schemas).toBeLessThanOrEqual(MOST_TOKENS)
  },
)

/** The service leaves it out. */
const withoutDialect = (key: string, value: unknown) => (key === '$schema' ? undefined : value)

test('the prompt and the schemas of the tools take at most 518 tokens of a request', async () => {
  const search = createWebSearch({ engines: [{ provider: 'wikipedia', url: 'https://en.wikipedia.org' }] })
  const tools: StructuredToolInterface[] = [calculator, code, time, search]
  const schemas = tools.map(tool => JSON.stringify(convertToOpenAITool(tool), withoutDialect))
  const prompt = systemPromptFor({ systemPrompt: DEFAULT_SYSTEM_PROMPT, tools }, {} as AgentContext)
  const counts = await Promise.all([prompt, ...schemas].map(text => countTokens(text)))
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(518)
})
