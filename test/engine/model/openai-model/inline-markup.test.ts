import { expect, test } from 'vitest'
import { InlineMarkupParser, parseInlineCall } from '../../../../packages/openai-compatible/inline-markup.ts'
import { says, streams, toolTexts } from '../../../support/openai-replies.ts'
import { inTurn, openAIServer } from '../../../support/openai-server.ts'
import { testService } from '../../../support/service.ts'
import { add } from '../../sample-tools.ts'

const call = (args: object, name = 'add') =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`

/** In pieces of every length: the same as in one. */
function read(text: string, mayCall = true, tools: readonly string[] = []) {
  const results = [1, 2, 3, 7, text.length].map(length => {
    const parser = new InlineMarkupParser(mayCall, tools)
    let answer = ''
    let reasoning = ''
    for (let at = 0; at < text.length; at += length) {
      answer += parser.add(text.slice(at, at + length))
      reasoning += parser.takeReasoning()
    }
    answer += parser.end()
    return { answer, reasoning: reasoning + parser.takeReasoning(), calls: parser.calls }
  })
  for (const result of results) expect(result).toEqual(results.at(-1))
  return results[0]!
}

test.each([
  { text: 'Hello.', answer: 'Hello.', reasoning: '' },
  { text: '<think>\nWell.\n</think>\n\nHello.', answer: 'Hello.', reasoning: '\nWell.\n' },
  { text: '\n <thinking>Well.</thinking>Hello.', answer: 'Hello.', reasoning: 'Well.' },
  { text: '<think></think>\n\nHello.', answer: 'Hello.', reasoning: '' },
  { text: '<think>It never ends', answer: '', reasoning: 'It never ends' },
  {
    text: 'A <think> tag in the middle </think> stays.',
    answer: 'A <think> tag in the middle </think> stays.',
    reasoning: '',
  },
  { text: '<thin', answer: '<thin', reasoning: '' },
  { text: '<b>bold</b> 1 < 2 and <t', answer: '<b>bold</b> 1 < 2 and <t', reasoning: '' },
])('$text', ({ text, answer, reasoning }) => {
  expect(read(text)).toEqual({ answer, reasoning, calls: [] })
})

test('removes calls written into the text, if tools were offered', () => {
  const text = `<think>Sum.</think>I add. ${call({ a: 1, b: 2 })}\n${call({ a: 3, b: 4 })} Done`
  const { answer, calls } = read(text)
  expect(answer).toBe('I add. Done')
  expect(calls.map(parseInlineCall)).toEqual([
    { name: 'add', args: '{"a":1,"b":2}' },
    { name: 'add', args: '{"a":3,"b":4}' },
  ])
  expect(read(call({ a: 1 }), false)).toMatchObject({ answer: call({ a: 1 }), calls: [] })
})

test.each([
  { text: '{"name":"add","parameters":{"a":1}}', name: 'add', args: '{"a":1}' },
  { text: '{"name":"add","arguments":"{\\"a\\":1}"}', name: 'add', args: '{"a":1}' },
  {
    text: '<function=add>\n<parameter=a>\n1\n</parameter>\n<parameter=b>two</parameter></function>',
    name: 'add',
    args: '{"a":1,"b":"two"}',
  },
  { text: 'add 1 and 2', name: '', args: 'add 1 and 2' },
])('a written call: $text', ({ text, name, args }) => {
  expect(parseInlineCall(text)).toEqual({ name, args })
})

const json = '{"name": "add", "arguments": {"a": 1, "b": 2}}'
test.each([
  { text: json, isCall: true },
  { text: `\`\`\`json\n${json}\n\`\`\`\n`, isCall: true },
  { text: `\n\`\`\`\n${json.replace('arguments', 'parameters')}\`\`\``, isCall: true },
  { text: `<think>Hm.</think>\n\n\`\`\`json\n${json}\n\`\`\``, isCall: true },
  { text: `${json} is how I would call it.` },
  { text: `I call ${json}` },
  { text: json.replace('add', 'other') },
  { text: json.replace('arguments', 'description') },
  { text: json.slice(0, -3) },
  { text: '{"name": "Ann", "age": 3}' },
  { text: '```js\nadd(1, 2)\n```' },
  { text: `${json}\n<tool_call>${json}</tool_call>`, answer: `${json}\n`, isCall: true },
])(
  '$text: a call if it is all of the answer, of a tool on offer',
  ({ text, answer = '', isCall = false }) => {
    const found = read(text, true, ['add'])
    expect(found.answer).toBe(isCall ? answer : text)
    const args = '{"a":1,"b":2}'
    expect(found.calls.map(parseInlineCall)).toEqual(isCall ? [{ name: 'add', args }] : [])
    expect(read(text.replace(/<tool_call>.*/, ''), true).calls).toEqual([])
  },
)

test("a weak model's call in a fence is made, but not where no call is asked for", async () => {
  const fenced = `\`\`\`json\n${json}\n\`\`\``
  const server = await openAIServer(inTurn(streams([...fenced], 'stop'), streams([...fenced], 'stop')))
  const { run } = await testService({ ...server.env, MAX_STEPS: '3' }, { tools: [add] })
  expect(await run('Add')).toMatchObject({ status: 'success', output: fenced, metrics: { steps: 3 } })
  expect(toolTexts(server.requests[1]!)).toEqual(['3'])
})

test.each(['streamed', 'whole'])('a run with thoughts and calls in the text, %s', async way => {
  const texts = [
    `<think>Two of them.</think>${call({ a: 1, b: 2 })}`,
    '<think>Now I know.</think>\n\nIt is 3.',
  ]
  const replies = texts.map(text => (way === 'whole' ? says(text) : streams([...text], 'stop')))
  const server = await openAIServer(inTurn(...replies))
  const { run } = await testService(server.env, { tools: [add] })
  expect(await run('Add')).toMatchObject({ status: 'success', output: 'It is 3.', metrics: { steps: 3 } })
  expect(toolTexts(server.requests[1]!)).toEqual(['3'])
  expect(JSON.stringify(server.requests[1]!.body.messages)).not.toMatch(/<think>|<tool_call>/)
})
