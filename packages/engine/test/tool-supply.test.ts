import { defineAgent } from '@agent-task-service/engine'
import type { MoreTools } from '@agent-task-service/engine/more-tools'
import { testService as serviceOf, testGraph } from '@agent-task-service/engine/testing'
import { withSecrets } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { tool } from '@langchain/core/tools'
import { expect, test } from 'vitest'
import { z } from 'zod'

const FIT = { description: 'Does nothing.', schema: z.object({}) }

// EVIDENCE-OF docs/reference/tool-rules.md: If a tool cannot be offered, for example because two share a name, the process
//   does not start and says what is wrong.
test('a tool that is a function of the settings gets them; without a result it is not offered, and the log says so', async () => {
  const given: unknown[] = []
  const fromSettings = (settings: { SEARCH_MAX_TOKENS: number }) => {
    given.push(settings.SEARCH_MAX_TOKENS)
    return add
  }
  const { toolNames, lines } = await testService(
    { SEARCH_MAX_TOKENS: '700' },
    { tools: [fromSettings, () => undefined] },
  )
  expect(given).toEqual([700])
  // @ts-expect-error the agent declares no SHOP_URL
  defineAgent({ ...agent, variables: z.object({}), tools: { orders: (_: { SHOP_URL: string }) => add } })
  expect(toolNames).toEqual([add.name])
  expect(lines).toMatchObject([
    { level: 'warn', tool: '1001', msg: 'tool not offered: its settings do not ask for it' },
  ])
})

// EVIDENCE-OF docs/guides/tools.md: A tool that needs them is a function of their values in the registry, as `webSearch` is in
//   `tools/web-search.ts`.
test('a function of the settings that returns no tool is refused by the name in the registry', async () => {
  const nested = () => withSecrets(['SHOP_API_KEY'], () => add) as never
  const starting = testService({}, { tools: [nested] })
  await expect(starting).rejects.toMatchObject({
    name: 'SetupError',
    message: 'the tool "1000" of the registry: expected a LangChain tool, got { secrets, create }',
  })
})

// EVIDENCE-OF docs/reference/tool-rules.md: What a tool reads from `process.env` by itself is masked by guess only
// EVIDENCE-OF docs/guides/tools.md: Settings other than secrets are variables of `src/config.ts`.
test('a tool that no model would accept is refused, even if its secret is not set', async () => {
  const unfit = withSecrets(['SHOP_API_KEY'], () => tool(() => '', { ...FIT, name: 'two words' }))
  await expect(testService({}, { tools: [unfit] })).rejects.toMatchObject({ name: 'SetupError' })
})

/** A package that supplies tools of these names, and what it was told and tells. */
function supplier(...names: string[]) {
  const told: { taken?: () => readonly string[]; change?: (...names: string[]) => void; ended?: boolean } = {}
  const toolsOf = (list: readonly string[]) => list.map(name => tool(() => '', { ...FIT, name }))
  const extra: MoreTools = {
    variables: z.object({}),
    async start(_settings, { taken, onChange }) {
      Object.assign(told, { taken, change: (...list: string[]) => onChange(toolsOf(list)) })
      onChange(toolsOf(names))
      return async () => {
        told.ended = true
      }
    },
  }
  return { extra, told }
}

test('several packages may supply tools: each knows the names that are taken, and may change its own', async () => {
  const [one, two] = [supplier('a', 'b'), supplier('c')]
  const { parts } = await testGraph({ ...agent, tools: { add }, moreTools: [one.extra, two.extra] })
  const offered = () => parts.tools.map(({ name }) => name)
  expect(offered()).toEqual([add.name, 'a', 'b', 'c'])
  expect(one.told.taken?.()).toEqual([add.name, 'c'])
  expect(two.told.taken?.()).toEqual([add.name, 'a', 'b'])
  one.told.change?.('d')
  expect(offered()).toEqual([add.name, 'd', 'c'])
})

test('what supplies tools ends with the service', async () => {
  const { extra, told } = supplier('a')
  const { close } = await serviceOf({ ...agent, moreTools: [extra] })
  expect(told.ended).toBeUndefined()
  await close()
  expect(told.ended).toBe(true)
})
