import { withSecrets } from '@agent-task-service/engine/tool'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { tool } from '@langchain/core/tools'
import { expect, test } from 'vitest'
import { z } from 'zod'

const FIT = { description: 'Does nothing.', schema: z.object({}) }

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
  expect(toolNames).toEqual([add.name])
  expect(lines).toMatchObject([
    { level: 'warn', tool: '1001', msg: 'tool not offered: its settings do not ask for it' },
  ])
})

test('a function of the settings that returns no tool is refused by the name in the registry', async () => {
  const nested = () => withSecrets(['SHOP_API_KEY'], () => add) as never
  const starting = testService({}, { tools: [nested] })
  await expect(starting).rejects.toMatchObject({
    name: 'SetupError',
    message: 'the tool "1000" of the registry: expected a LangChain tool, got { secrets, create }',
  })
})

test('a tool that no model would accept is refused, even if its secret is not set', async () => {
  const unfit = withSecrets(['SHOP_API_KEY'], () => tool(() => '', { ...FIT, name: 'two words' }))
  await expect(testService({}, { tools: [unfit] })).rejects.toMatchObject({ name: 'SetupError' })
})
