import { acceptableMessages, MADE_BY } from '@agent-task-service/messages/acceptable-messages'
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'

const call = (id: string, name = 'add', args: object = {}) => ({ id, name, args, type: 'tool_call' as const })
const turn = (calls: ReturnType<typeof call>[], model?: string) =>
  new AIMessage({ content: '', tool_calls: calls, ...(model && { response_metadata: { [MADE_BY]: model } }) })
const result = (tool_call_id: string, content = '3', name = 'add') =>
  new ToolMessage({ content, tool_call_id, name })

/** The ids of calls, each with its result's. */
function idsIn(messages: readonly unknown[]) {
  return messages.flatMap(message => {
    if (message instanceof AIMessage) return (message.tool_calls ?? []).map(({ id }) => id)
    return message instanceof ToolMessage ? [message.tool_call_id] : []
  })
}

test('a conversation that all accept stays the same, message by message', () => {
  const messages = [
    new SystemMessage('Be brief.'),
    new HumanMessage('Add 😀.'),
    turn([call('call_1')]),
    result('call_1'),
    new AIMessage('It is 3.'),
  ]
  for (const [at, message] of acceptableMessages(messages, 'm').entries()) expect(message).toBe(messages[at])
})

test('ids that come again are unique, each with its result', () => {
  const messages = [turn([call('a'), call('b')]), result('a'), result('b'), turn([call('a')]), result('a')]
  const ids = idsIn(acceptableMessages(messages, 'm'))
  const [a, b, a1, b1, other, other1] = ids
  expect([a1, b1, other1]).toEqual([a, b, other])
  expect(new Set(ids).size).toBe(3)
})

test.each(['functions.add:0', 'x'.repeat(120), 'toolu|1', ''])(
  'the id %j goes as it is only to its model',
  id => {
    const messages = [turn([call(id)], 'own'), result(id)]
    expect(idsIn(acceptableMessages(messages, 'own'))).toEqual(id === '' ? expect.anything() : [id, id])
    const [plain, same] = idsIn(acceptableMessages(messages, 'other'))
    expect(plain).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(same).toBe(plain)
  },
)

test('names are plain, in the call and in its result', () => {
  const [asked, told] = acceptableMessages(
    [turn([call('a', 'math.evaluate<|x|>')]), result('a', 'Error', 'math.evaluate<|x|>')],
    'm',
  )
  expect((asked as AIMessage).tool_calls?.[0]?.name).toBe('math_evaluate__x__')
  expect(told?.name).toBe('math_evaluate__x__')
  const [long] = acceptableMessages([turn([call('a', 'é'.repeat(100))])], 'm')
  expect((long as AIMessage).tool_calls?.[0]?.name).toMatch(/^_{64}$/)
})

test('text is well-formed wherever it stands, and no result is empty', () => {
  const half = 'a\ud83d'
  const messages = [
    new SystemMessage(half),
    new HumanMessage({ content: [{ type: 'text', text: half }] }),
    turn([call('a', 'add', { text: half, list: [half] })]),
    result('a', half),
    turn([call('b')]),
    result('b', ' '),
    new AIMessage(half),
  ]
  const sent = acceptableMessages(messages, 'm')
  expect(
    JSON.stringify(sent.map(({ content, ...more }) => [content, (more as AIMessage).tool_calls])),
  ).not.toMatch(/\\ud83d/)
  expect(sent[3]?.content).toBe('a\ufffd')
  expect(sent[5]?.content).toBe('The tool gave an empty result.')
  expect(messages[0]?.content).toBe(half)
})
