import type { ModelEntry } from '@agent-task-service/engine'
import { OpenAIModel } from '@agent-task-service/engine/openai-model'
import { ScriptedModel, type ScriptedReply } from '@agent-task-service/engine/testing'
import { countMessages } from '@agent-task-service/engine/tokens'
import { modelOf } from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { expect, test } from 'vitest'

const CONTEXT = 8_000
const TURNS = 200
const FILLER = 'We went through the invoices of the quarter, one by one, and found nothing unusual. '

/** A model that refuses what its context does not hold. */
class SmallModel extends ScriptedModel {
  refusals = 0

  constructor(profile: object) {
    super(async ({ messages }): Promise<ScriptedReply> => {
      if ((await countMessages(messages)) <= CONTEXT) return 'Fine.'
      this.refusals += 1
      const message = `This model's maximum context length is ${CONTEXT} tokens.`
      return Object.assign(new Error(message), { status: 400, code: 'context_length_exceeded' })
    })
    Object.defineProperty(this, 'profile', { value: profile })
  }

  /** Asked as itself, so that it keeps its profile. */
  async ask(messages: BaseMessage[]) {
    const create: ModelEntry['create'] = ({ maxTokens }) =>
      Object.assign(this, { invocationParams: () => ({ maxTokens }) })
    const model = await modelOf({}, { models: [{ name: 'small', create }] })
    return await model.invoke(messages)
  }
}

const conversation = (): BaseMessage[] => [
  new SystemMessage('You are an accountant.'),
  ...Array.from({ length: TURNS }, (_, turn) => [
    new HumanMessage(`Question ${turn}. ${FILLER.repeat(2)}`),
    new AIMessage(`Answer ${turn}. ${FILLER.repeat(2)}`),
  ]).flat(),
  new HumanMessage('And in one word?'),
]

test(`a conversation of ${TURNS} turns goes to a model of ${CONTEXT} tokens without a refusal`, async () => {
  const small = new SmallModel({ maxInputTokens: CONTEXT })
  const messages = conversation()
  expect(await countMessages(messages)).toBeGreaterThan(2 * CONTEXT)
  expect((await small.ask(messages)).text).toBe('Fine.')
  expect([small.refusals, small.requests.length]).toEqual([0, 1])
  const sent = small.requests[0]!.messages
  // The system message, and the latest turns whole, as many as leave room for the answer.
  expect(sent[0]!.text).toBe('You are an accountant.')
  expect(sent[1]!.type).toBe('human')
  expect(sent.slice(1)).toEqual(messages.slice(-(sent.length - 1)))
  expect(await countMessages(sent)).toBeGreaterThan(CONTEXT / 2)
})

test('without a profile it takes a refusal', async () => {
  const small = new SmallModel({})
  expect((await small.ask(conversation())).text).toBe('Fine.')
  expect(small.refusals).toBe(1)
})

test('tool results are shortened first, and keep their ends', async () => {
  const small = new SmallModel({ maxInputTokens: CONTEXT })
  const log = `${FILLER.repeat(2_000)}FAILED: no such account`
  const call = { id: 'call_1', name: 'log', args: {}, type: 'tool_call' as const }
  const messages = [
    new HumanMessage('Earlier question'),
    new AIMessage('Earlier answer'),
    new HumanMessage('What does the log say?'),
    new AIMessage({ content: '', tool_calls: [call] }),
    new ToolMessage({ content: log, tool_call_id: 'call_1' }),
  ]
  await small.ask(messages)
  const sent = small.requests[0]!.messages
  expect(small.refusals).toBe(0)
  expect(sent.map(({ type }) => type)).toEqual(messages.map(({ type }) => type))
  expect(sent.at(-1)!.text).toContain(
    "[shortened to fit the model's context: the first 375 and the last 125 of ",
  )
  expect(sent.at(-1)!.text).toMatch(/FAILED: no such account$/)
})

test('the latest turn stays, however long it is', async () => {
  const small = new SmallModel({ maxInputTokens: CONTEXT })
  const long = new HumanMessage(FILLER.repeat(1_000))
  await expect(small.ask([new SystemMessage('Be brief.'), new HumanMessage('Hi'), long])).rejects.toThrow()
  expect(small.requests[0]!.messages.map(({ text }) => text)).toEqual(['Be brief.', long.text])
})

test("OpenAI's models are known by LangChain's profile, others by none", async () => {
  const contextOf = (model: string) => {
    const made = new OpenAIModel({ model, apiKey: 'none' })
    return () => made.profile.maxInputTokens
  }
  const [ours, known] = [contextOf('some-model-of-ours'), contextOf('gpt-4')]
  // The list is loaded meanwhile.
  await until(() => known() !== undefined)
  expect(known()).toBeGreaterThan(CONTEXT)
  expect(ours()).toBeUndefined()
})
