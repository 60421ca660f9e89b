import { asks, says, toolTexts, type WireCall } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { add, tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { tool as langChainTool } from '@langchain/core/tools'
import { expect, test } from 'vitest'
import { z } from 'zod'

const tools = [
  add,
  tool('ping', () => 'pong'),
  langChainTool(({ text }) => `${text}!`, {
    name: 'shout',
    schema: z.object({ text: z.string(), loud: z.boolean().optional() }),
  }),
]
const asked = (name: unknown, args: unknown) =>
  ({ id: 'one', type: 'function', function: { name, arguments: args } }) as WireCall

// EVIDENCE-OF docs/reference/tool-rules.md: Arguments that do not match never reach the tool; the model reads what is wrong
//   and how the call should look. If a member has a name that the tool lacks, all of the tool's are shown.
test.each([
  { title: 'as an object, not in a string', odd: asked('add', { a: 1, b: 2 }), told: '3' },
  { title: 'as an empty string', odd: asked('ping', ''), told: 'pong' },
  { title: 'as white space', odd: asked('ping', ' '), told: 'pong' },
  { title: 'as null', odd: asked('ping', null), told: 'pong' },
  { title: 'not at all', odd: asked('ping', undefined), told: 'pong' },
  { title: 'not at all, though some are required', odd: asked('add', ''), told: /a: .* expected number/ },
  { title: 'with numbers in quotes', odd: asked('add', { a: '1', b: ' -2.5 ' }), told: '-1.5' },
  {
    title: 'with a unit',
    odd: asked('add', { a: '1 km', b: 2 }),
    told: /a: .* Call it as add\(\{"a": number, "b": number\}\)\.$/,
  },
  {
    title: 'with an optional one of the wrong type',
    odd: asked('shout', { text: 'Hey', loud: { very: true } }),
    told: /loud: .* Call it as shout\(\{"text": string, "loud": boolean\}\)\.$/,
  },
  {
    title: 'with a member of another name',
    odd: asked('shout', { words: 'Hey' }),
    told: /text: .* Call it as shout\(\{"text": string, "loud"\?: boolean\}\)\.$/,
  },
  { title: 'as the one text', odd: asked('shout', 'Hey, you'), told: 'Hey, you!' },
  { title: 'as the one text in quotes', odd: asked('shout', '"Hey"'), told: 'Hey!' },
  { title: 'in quotes twice', odd: asked('shout', JSON.stringify('{"text":"Hey"}')), told: 'Hey!' },
  {
    title: 'as half an object',
    odd: asked('shout', '{"text":"He'),
    told: /not valid JSON.* Call it as shout\(\{"text": string\}\)\.$/,
  },
  { title: 'as a number', odd: asked('add', 5), told: /arguments 5 do not fit/ },
  { title: 'without a name', odd: asked(undefined, '{}'), told: /no tool ""/ },
  {
    title: "for a name on every object's prototype",
    odd: asked('__proto__', '{}'),
    told: /no tool "__proto__"/,
  },
])('reads arguments sent $title for what they are', async ({ odd, told }) => {
  const server = await openAIServer(inTurn(asks([odd]), says('So be it.')))
  const { run } = await testService(server.env, { tools })
  expect(await run('Go on')).toMatchObject({ status: 'success', output: 'So be it.', metrics: { steps: 3 } })
  const [text] = toolTexts(server.requests[1]!)
  expect(text).toEqual(typeof told === 'string' ? told : expect.stringMatching(told))
})
