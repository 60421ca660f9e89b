import { HumanMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { classifyModelError } from '../../failures/classify-error.ts'
import { echoesOf } from '../../failures/echoes.ts'
import { changesFor, type RefusedRequest } from '../../model/changes.ts'
import type { Change, Facts } from '../../model/facts-from-refusals.ts'

const chat = { api: 'chat', capName: 'max_tokens', mayChangeApi: true } as const
const responses = { ...chat, api: 'responses' } as const

interface Known {
  readonly task?: string
  readonly form?: typeof chat | typeof responses
  readonly hasAnswered?: boolean
  readonly members?: readonly string[]
  readonly facts?: Facts
  readonly sentCap?: number
}

/** What is tried first after a refusal. */
async function firstChange(status: number, message: string, known: Known = {}) {
  const { task = 'Hello', form = chat, hasAnswered = false, members = [], facts = {}, sentCap } = known
  const error = classifyModelError(Object.assign(new Error(message), { status }))
  const request = { messages: [new HumanMessage(task)], tools: [], binding: {} }
  const model = {
    ...{ members, formOf: () => form, hasAnsweredTo: () => hasAnswered },
    ...{ needs: () => false, knownIn: () => ({ changes: 0 }) },
  }
  const isEchoed = echoesOf(request.messages)
  const made = { request, error, sentCap, isEchoed, facts, model, call: request }
  const refused = made as unknown as RefusedRequest
  for await (const changes of changesFor(refused)) if (changes.length > 0) return changes
  return [] as readonly Change[]
}

test('a run goes over to chat completions where there is no /responses', async () => {
  for (const message of ['The model `m` does not exist', "Item with id 'rs_1' not found"])
    expect(await firstChange(404, message, { form: responses })).toEqual([])
  for (const status of [404, 405, 501])
    expect(await firstChange(status, 'no route', { form: responses })).toEqual([
      { facts: { api: 'chat' }, isGeneral: true },
    ])
})

test('an API that has answered is not left for the 404 or 405 of a gateway, and one that was left is not asked again', async () => {
  const answered = { form: responses, hasAnswered: true }
  for (const status of [405, 501]) expect(await firstChange(status, 'no route', answered)).toEqual([])
  const left = { facts: { api: 'chat' as const } }
  expect(await firstChange(404, 'Please use /v1/responses instead', left)).toEqual([])
  expect(await firstChange(404, 'Please use /v1/responses instead')).toMatchObject([
    { facts: { api: 'responses' } },
  ])
})

test.each([
  ['temperature is not supported with this model', { refuses_temperature: true }],
  ["Unsupported parameter: 'top_p'", { refuses_top_p: true }],
  ['invalid temperature: only 1 is allowed', { refuses_temperature: true }],
  ["'messages[0].role' does not support 'system' with this model.", { refuses_system: true }],
  ['invalid message role: system', { refuses_system: true }],
  ['Argument not supported on this model: topP', { refuses_top_p: true }],
  ['function calling is unsupported', { refuses_tools: true }],
  ['No endpoints found that support tool use.', { refuses_tools: true }],
  ['The reasoning_content must be passed back', { standIns: { message: { reasoning_content: '' } } }],
  ['Encrypted content is not supported with this model', { refuses_include: true, refuses_thoughts: true }],
  ['System role not supported', { refuses_system: true }],
  ['Developer instruction is not enabled for models/gemma-3-27b-it', { refuses_system: true }],
])('what a refusal names is learnt: %s', async (message, facts) => {
  const members = ['temperature', 'top_p']
  expect(await firstChange(400, message, { members })).toEqual([{ facts, isGeneral: true }])
  expect(await firstChange(400, message, { members, task: message })).toEqual([{ facts, isGeneral: false }])
})

test('what only mentions tools leaves none out', async () => {
  const changes = await firstChange(400, 'tool calls must be followed by results: see our support pages')
  expect(changes).not.toContainEqual(expect.objectContaining({ facts: { refuses_tools: true } }))
})

test.each([
  ["Invalid 'reasoning_effort': expected one of low, high", ['reasoning_effort']],
  ['max_tokens must be at least 16', []],
  ['response_format: a schema is needed', []],
])('what caller or operator set is not left out: %s', async (message, members) => {
  const changes = await firstChange(400, message, { members, sentCap: 5 })
  expect(changes.filter(({ facts }) => Object.keys(facts).length > 0)).toEqual([])
})
