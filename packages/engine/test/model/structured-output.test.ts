import { asks, call, json, says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { modelOf } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'
import { z } from 'zod'

const Route = z.object({ to: z.enum(['sales', 'support']) }).describe('Who is asked')
const SALES = '{"to":"sales"}'
const asCall = asks([call('route', { to: 'sales' })])

async function replying(replies: readonly Reply[], OPENAI_API = 'auto') {
  const { env, requests } = await openAIServer(inTurn(...replies))
  const model = await modelOf({ ...env, OPENAI_API })
  const bodies = () => requests.map(({ body }) => body as unknown as Record<string, unknown>)
  return { model, bodies }
}

// EVIDENCE-OF docs/guides/graph.md: `jsonSchema` and `jsonMode` send OpenAI's `response_format`, for models that know it.
test.each([
  [
    'functionCalling',
    asCall,
    { tool_choice: { type: 'function', function: { name: 'route' } }, tools: [expect.anything()] },
  ],
  [
    'jsonSchema',
    says(SALES),
    {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'route',
          description: 'Who is asked',
          schema: expect.objectContaining({ properties: { to: expect.anything() } }),
        },
      },
    },
  ],
  ['jsonMode', says(`\`\`\`json\n${SALES}\n\`\`\``), { response_format: { type: 'json_object' } }],
] as const)('%s asks as LangChain says, and reads the answer', async (method, reply, asked) => {
  const { model, bodies } = await replying([reply])
  const router = model.withStructuredOutput(Route, { name: 'route', method })
  expect(await router.invoke('Who?')).toEqual({ to: 'sales' })
  expect(bodies()).toEqual([expect.objectContaining(asked)])
  expect('tools' in bodies()[0]!).toBe(method === 'functionCalling')
})

test.each(['jsonSchema', 'functionCalling'] as const)(
  '%s: an answer that does not fit is an error',
  async method => {
    const wrong = { to: 'nobody' }
    const { model } = await replying([
      method === 'jsonSchema' ? says(JSON.stringify(wrong)) : asks([call('route', wrong)]),
    ])
    const router = model.withStructuredOutput(Route, { name: 'route', method })
    await expect(router.invoke('Who?')).rejects.toThrow(/Failed to parse/)
  },
)

test('includeRaw gives the message too; a JSON Schema needs no Zod', async () => {
  const { model } = await replying([says(SALES)])
  const schema = { type: 'object', properties: { to: { type: 'string' } } }
  const router = model.withStructuredOutput(schema, { method: 'jsonSchema', includeRaw: true })
  expect(await router.invoke('Who?')).toMatchObject({ raw: { content: SALES }, parsed: { to: 'sales' } })
})

test('the Responses API has the format in its own words', async () => {
  const { model, bodies } = await replying(
    [
      json({
        object: 'response',
        status: 'completed',
        output: [{ type: 'message', content: [{ type: 'output_text', text: SALES }] }],
      }),
    ],
    'responses',
  )
  const router = model.withStructuredOutput(Route, { name: 'route', method: 'jsonSchema' })
  expect(await router.invoke('Who?')).toEqual({ to: 'sales' })
  expect(bodies()[0]).toMatchObject({
    text: { format: { type: 'json_schema', name: 'route', schema: expect.anything() } },
  })
})
