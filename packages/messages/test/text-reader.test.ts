import { OfferedTools } from '@agent-task-service/messages/offered-tools'
import { TextReader } from '@agent-task-service/messages/text-reader'
import { says, streams, toolTexts } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { add, tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

const tools = new OfferedTools([add])
const none = new OfferedTools([])
const call = (args: object, name = 'add') =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`
const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

/** In pieces of every length: the same as in one. */
function read(text: string, offered = tools) {
  const results = [1, 2, 3, 7, text.length].map(length => {
    const reader = new TextReader(offered)
    let answer = ''
    let reasoning = ''
    for (let at = 0; at < text.length; at += length) {
      answer += reader.add(text.slice(at, at + length))
      reasoning += reader.takeReasoning()
    }
    answer += reader.end()
    const { answerStartsAt, calls, unreadCall } = reader
    reasoning += reader.takeReasoning()
    return {
      answer: answer.slice(answerStartsAt),
      reasoning: answer.slice(0, answerStartsAt) + reasoning,
      calls: calls.map(({ name, args }) => ({ name, args: JSON.parse(args) })),
      unreadCall,
    }
  })
  for (const result of results) expect(result).toEqual(results.at(-1))
  return results[0]!
}

test.each([
  { text: 'Hello.', answer: 'Hello.', reasoning: '' },
  { text: '<think>\nWell.\n</think>\n\nHello.', answer: 'Hello.', reasoning: '\nWell.\n' },
  { text: '\n <thinking>Well.</thinking>Hello.', answer: 'Hello.', reasoning: 'Well.' },
  { text: '[THINK]Well.[/THINK]Hello.', answer: 'Hello.', reasoning: 'Well.' },
  { text: '<think></think>\n\nHello.', answer: 'Hello.', reasoning: '' },
  { text: '<think>It never ends', answer: '', reasoning: 'It never ends' },
  { text: 'Well.\n</think>\n\nHello.', answer: 'Hello.', reasoning: 'Well.\n' },
  { text: 'Well.</think>Hello.', answer: 'Hello.', reasoning: 'Well.' },
  { text: '</think>\n\nHello.', answer: 'Hello.', reasoning: '' },
  {
    text: 'A <think> tag in the middle </think> stays.',
    answer: 'A <think> tag in the middle </think> stays.',
    reasoning: '',
  },
  { text: '<thin', answer: '<thin', reasoning: '' },
  { text: '<b>bold</b> 1 < 2 and <t', answer: '<b>bold</b> 1 < 2 and <t', reasoning: '' },
  { text: '<|im_start|>assistant\nHello.<|im_end|>', answer: 'Hello.', reasoning: '' },
  {
    text: 'Hello.<|eot_id|>\n<|start_header_id|>user<|end_header_id|>\n\nAnd?',
    answer: 'Hello.',
    reasoning: '',
  },
  { text: '<|im_end|>', answer: '', reasoning: '' },
  { text: 'assistantfinalHello.', answer: 'Hello.', reasoning: '' },
  {
    text: '<|channel|>analysis<|message|>Well.<|end|><|start|>assistant<|channel|>final<|message|>Hello.<|return|>',
    answer: 'Hello.',
    reasoning: 'Well.',
  },
  { text: 'analysisThey greet.assistantfinalHello.', answer: 'Hello.', reasoning: 'They greet.' },
])('$text', ({ text, answer, reasoning }) => {
  for (const offered of [tools, none])
    expect(read(text, offered)).toEqual({ answer, reasoning, calls: [], unreadCall: undefined })
})

const json = '{"name": "add", "arguments": {"a": 1, "b": 2}}'
const parameters = '<parameter=a>\n1\n</parameter>\n<parameter=b>\n2\n</parameter>'
const invoked = '<parameter name="a">1</parameter>\n<parameter name="b">2</parameter>'

/** A call of `add` with 1 and 2, as each template has it. */
const TEMPLATES: Record<string, string> = {
  'Hermes, Qwen': call({ a: 1, b: 2 }),
  'Hermes, with its end missing': `<tool_call>\n${json}`,
  'Qwen-Coder': `<tool_call>\n<function=add>\n${parameters}\n</function>\n</tool_call>`,
  'Qwen-Coder, without the frame': `<function=add>\n${parameters}\n</function>`,
  'Llama 3.1': `<|python_tag|>${json.replace('arguments', 'parameters')}<|eom_id|>`,
  'Llama 3.1, a function': '<function=add>{"a": 1, "b": 2}</function>',
  'Llama 3.2': '{"type": "function", "name": "add", "parameters": {"a": 1, "b": 2}}<|eot_id|>',
  'Llama 3.2, in Python': '[add(a=1, b=2)]',
  'Llama 3, a built-in tool': '<|python_tag|>add.call(a=1, b=2)',
  'Llama 4': '<|python_start|>[add(a=1, b=2)]<|python_end|>',
  'Mistral, a list': `[TOOL_CALLS] [${json}]</s>`,
  'Mistral, a name': '[TOOL_CALLS]add[ARGS]{"a": 1, "b": 2}',
  'Mistral, a name and an id': '[TOOL_CALLS]add[CALL_ID]AbC123xYz[ARGS]{"a": 1, "b": 2}',
  'DeepSeek V3, R1':
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n```json\n{"a": 1, "b": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  'DeepSeek V3.1':
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>{"a": 1, "b": 2}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
  'DeepSeek V3.2, DSML':
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="add">\n<｜DSML｜parameter name="a" string="false">1</｜DSML｜parameter>\n<｜DSML｜parameter name="b" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  'Kimi K2':
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{"a": 1, "b": 2}<|tool_call_end|><|tool_calls_section_end|>',
  'GLM 4.5':
    '<tool_call>add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n<arg_key>b</arg_key>\n<arg_value>2</arg_value>\n</tool_call>',
  'GLM 4': 'add\n{"a": 1, "b": 2}',
  'MiniMax M1': `<tool_calls>\n${json}\n</tool_calls>`,
  'MiniMax M2': `<minimax:tool_call>\n<invoke name="add">\n${invoked}\n</invoke>\n</minimax:tool_call>`,
  'Granite 3': `<|tool_call|>[${json}]`,
  'Granite 20B': `<function_call> ${json}`,
  'Phi-4-mini': `<|tool_call|>[{"type": "function", "function": ${json}}]<|/tool_call|>`,
  'Phi-4-mini, functools': `functools[${json}]`,
  'Gemma, in Python': '```tool_code\nadd(a=1, b=2)\n```',
  'Gemma, printed': 'I add.\n```tool_code\nprint(default_api.add(a=1, b=2))\n```',
  'Gemma, JSON': `\`\`\`tool_call\n${json}\n\`\`\``,
  FunctionGemma: '<start_function_call>call:add{a:1,b:2}<end_function_call>',
  'Gemma 4': '<|tool_call>call:add{a:1,b:2}<tool_call|>',
  'gpt-oss, harmony':
    '<|channel|>analysis<|message|>I add.<|end|><|start|>assistant<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a": 1, "b": 2}<|call|>',
  'gpt-oss, the recipient first':
    '<|start|>assistant to=functions.add<|channel|>commentary json<|message|>{"a": 1, "b": 2}<|call|>',
  'gpt-oss, without its tokens': 'analysisI add.assistantcommentary to=functions.add json{"a": 1, "b": 2}',
  Claude: `<function_calls>\n<invoke name="add">\n${invoked}\n</invoke>\n</function_calls>`,
  'Claude 2':
    '<function_calls>\n<invoke>\n<tool_name>add</tool_name>\n<parameters>\n<a>1</a>\n<b>2</b>\n</parameters>\n</invoke>\n</function_calls>',
  'OLMo 3': '<function_calls>\nadd(a=1, b=2)\n</function_calls>',
  Command: `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "add", "parameters": {"a": 1, "b": 2}}]<|END_ACTION|>`,
  InternLM: `<|action_start|><|plugin|>\n${json}<|action_end|>`,
  LFM2: '<|tool_call_start|>[add(a=1, b=2)]<|tool_call_end|>',
  Apertus: '<|tools_prefix|>[{"add": {"a": 1, "b": 2}}]<|tools_suffix|>',
  Nemotron: `<TOOLCALL>[${json}]</TOOLCALL>`,
  'Seed-OSS': `<seed:tool_call>\n<function=add>\n${parameters}\n</function>\n</seed:tool_call>`,
  Functionary: '>>>add\n{"a": 1, "b": 2}',
  'LM Studio': `[TOOL_REQUEST]${json}[END_TOOL_REQUEST]`,
  ReAct: 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}\nObservation: 3\nFinal Answer: 3',
  'ReAct in JSON': 'Action:\n```json\n{"action": "add", "action_input": {"a": 1, "b": 2}}\n```',
  'ReAct in Markdown': '**Thought:** I add.\n**Action:** add\n**Action Input:** {"a": 1, "b": 2}',
  'Llama, with a bracket missing': '<function=add{"a": 1, "b": 2}</function>',
  'Qwen, with a brace too many': `<tool_call>\n${json}}\n</tool_call>`,
  'Gemma, in lines of Python': '```tool_code\nsum = add(a=1, b=2)\nprint(sum)\n```',
  'Hermes, with a brace forgotten': `<tool_call>\n${json.slice(0, -1)}\n</tool_call>`,
  "Hermes, with Python's quotes": `<tool_call>\n${json.replaceAll('"', "'")}\n</tool_call>`,
  'Hermes, in braces of a template': `<tool_call>\n{${json}}\n</tool_call>`,
  'Hermes, with attributes': '<tool_call name="add">{"a": 1, "b": 2}</tool_call>',
  'Hermes, with an id': `<tool_call id="1">\n${json}\n</tool_call>`,
  'Qwen-Coder, with ends forgotten':
    '<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\n2\n</tool_call>',
  'GLM 4.5, without its frame':
    'add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n<arg_key>b</arg_key>\n<arg_value>2</arg_value>\n</tool_call>',
  'a tag of another name': `<tool_use>\n${json}\n</tool_use>`,
  JavaScript: 'add({"a": 1, "b": 2})',
  'Mistral, without its first token': 'add[ARGS]{"a": 1, "b": 2}',
  'Kimi K2, without its tokens': 'functions.add:0{"a": 1, "b": 2}',
  'gpt-oss, without its tokens and thoughts': 'commentary to=functions.add json{"a": 1, "b": 2}',
  'Hermes, in a fence': `\`\`\`xml\n${call({ a: 1, b: 2 })}\n\`\`\``,
  'Qwen, in lines': call({ a: 1, b: 2 }).replace(/, ?/g, ',\n  '),
  JSON: json,
  'JSON in another order': '{"arguments": {"a": 1, "b": 2}, "name": "add"}',
  'JSON in a fence': `\n\`\`\`json\n${json}\n\`\`\`\n`,
  'JSON behind thoughts': `<think>Hm.</think>\n\n\`\`\`\n${json.replace('arguments', 'parameters')}\`\`\``,
  'JSON of OpenAI': JSON.stringify({
    tool_calls: [{ id: 'x', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } }],
  }),
  'JSON, flat': '{"tool": "add", "a": 1, "b": 2}',
  'JSON by name': '{"add": {"a": 1, "b": 2}}',
  'a tag of its name': '<add>\n<a>1</a>\n<b>2</b>\n</add>',
  'a decorated name': call({ a: 1, b: 2 }, 'functions.Add'),
  'in reasoning that was not closed': `I have to add.\n</think>\n\n${call({ a: 1, b: 2 })}`,
}

test.each([
  'R1 opens its thoughts with `<think>` and ends them with `</think>`.',
  'The tags (<think> and </think>) are special.',
  'Ein Modell schreibt „<think>“ und dann mehr.',
  'Mistral has **[THINK]** where Qwen has **<think>**.',
  'See https://example.com/<reasoning>/x.',
  'Two lines:\n<think>\nand more.',
])('behind thoughts, an answer that speaks of their marks stays: %s', answer => {
  expect(read(`<think>Hm.</think>${answer}`)).toMatchObject({ answer, reasoning: 'Hm.' })
})

test.each(Object.entries(TEMPLATES))('a call as written by %s', (_, text) => {
  const { calls, answer, unreadCall } = read(text)
  expect(calls.map(({ name, args }) => ({ name: tools.find(name)?.name, args }))).toEqual([
    { name: 'add', args: { a: 1, b: 2 } },
  ])
  expect(answer).not.toMatch(/[<>{}[\]`]|"/)
  expect(unreadCall).toBeUndefined()
  // Where no tool is offered, there is nothing to call.
  expect(read(text, none).calls).toEqual([])
})

test('a call of a tool whose name every object has is a call', () => {
  const named = new OfferedTools([tool('constructor', () => 'Built.')])
  const text = '<|start|>assistant to=constructor<|channel|>commentary json<|message|>{"n": 1}<|call|>'
  expect(read(text, named).calls).toEqual([{ name: 'constructor', args: { n: 1 } }])
})

test('several calls, and text around them', () => {
  const text = `<think>Sum.</think>I add. ${call({ a: 1, b: 2 })}\n${call({ a: 3, b: 4 })} Done`
  const { answer, calls } = read(text)
  expect(answer).toBe('I add. Done')
  expect(calls).toEqual([
    { name: 'add', args: { a: 1, b: 2 } },
    { name: 'add', args: { a: 3, b: 4 } },
  ])
  expect(read(call({ a: 1 }), none)).toMatchObject({ answer: call({ a: 1 }), calls: [] })
})

test.each([
  { text: `${json};\n${json}`, count: 2 },
  { text: `[${json}, ${json}]`, count: 2 },
  { text: '[add(a=1, b=2), add(a=3, b=4)]', count: 2 },
  { text: `[TOOL_CALLS]add[ARGS]{"a": 1, "b": 2}[TOOL_CALLS]add[ARGS]{"a": 3, "b": 4}`, count: 2 },
  { text: `<tool_calls>\n${call({ a: 1, b: 2 })}\n${call({ a: 3, b: 4 })}\n</tool_calls>`, count: 2 },
  { text: `${fence('tool_call', json)}\n${fence('tool_call', json)}`, count: 2 },
  { text: `I add.\n\n${fence('', json)}\n\n${fence('json', json)}\n${fence('json', json)}`, count: 3 },
  { text: `I add twice. ${json}; ${json}\n`, count: 2 },
  { text: `I add.\n${fence('json', json)}\nThen:\n${fence('json', json)}`, count: 1 },
  { text: `I read {"a": 1}\n${json}`, count: 1 },
])('$text: $count calls', ({ text, count }) => {
  expect(read(text).calls).toHaveLength(count)
})

/** Ordinary answers, some of them about calls. */
const ORDINARY = [
  'The answer is 42.',
  '',
  '   ',
  '1 < 2 and 3 > 2.',
  'Use `<tool_call>` tags to call a tool.',
  'The tag <tool_call> begins a call, and </tool_call> ends it.',
  `Qwen writes a call as <tool_call>${json}</tool_call> in its text.`,
  `In Hermes's format it looks like this:\n\n${fence('xml', call({ a: 1, b: 2 }))}\n\nThe server reads it.`,
  `${json} is how I would call it.`,
  fence('js', 'add(1, 2)\nconsole.log("done")'),
  fence('python', 'def add(a, b):\n    return a + b\n\nprint(add(1, 2))'),
  fence('bash', 'curl -d \'{"name": "add", "arguments": {}}\' localhost'),
  fence('html', '<function=add></function>'),
  'add(a, b) returns the sum of a and b.',
  'add: to put numbers together.',
  'Add 1 and 2, and you get 3.',
  'add',
  '{"name": "Ann", "age": 3}',
  '{"name": "add", "description": {"a": 1}}',
  '{"type": "object", "properties": {"a": {"type": "number"}}}',
  '{"answer": 42}',
  '[1, 2, 3]',
  '[{"city": "Rome"}, {"city": "Oslo"}]',
  '["add", "subtract"]',
  '[a link](https://example.com/add)',
  '- add milk\n- add eggs',
  '# Title\n\nText with [brackets] and {braces}.',
  '> A quote.\n\nMore.',
  'Action: review the report.\nOwner: Ann.',
  'Items:\nAction: none.\nAction needed: none.',
  'Thought: it is late.',
  'Thoughts on this: none.',
  'functools is a module of Python.',
  'Use functools.partial(add, 1).',
  'The token <|im_end|> ends a turn in ChatML.',
  'It is `<|im_end|>`.',
  'In Mistral, [TOOL_CALLS] comes first.',
  'Close it with `</think>`.',
  'R1 schließt mit „</think>“ und antwortet dann.',
  '推理以</think>结束，然后输出答案。',
  'End it with **</think>** and go on.',
  'Tags such as think/</think> come in pairs.',
  `In ChatML:\n\n${fence('', '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>')}\n\nThat is all.`,
  'Menu: <s>$8</s> <s>$7</s> $6',
  'Plan: <s>Monday</s>',
  '<s>$20</s> $15',
  `Use this:\n\n${fence('tool_code', 'print(add(a=1, b=2))')}\n\nto add.`,
  '{"add": {"brand": "Casio", "price": 12}}',
  '<add>12:30</add>',
  'add { color: red; }',
  'add("one")',
  '{"name": "add", "description": "Adds.", "parameters": {"type": "object", "properties": {}}}',
  'The tag </think> closes a section.',
  'The tag <think> opens it and </think> closes it, in the text.',
  'F# has `<|` and `|>`; Haskell has <|> too.',
  '<p>A paragraph.</p>',
  '<add>',
  '<xml><a>1</a></xml>',
  'x = [add(1), 2]',
  'analysis of the data follows.',
  'analysis: none',
  'to=be or not to be',
  'commentary on the game',
  'The C++ vector<int> and a<b.',
  '日本語｜区切り▁です。',
  'Price: 5 € | 10 $ ｜ none',
  'She said: "invoke name" and left.',
  'call:add is not a call.',
  'print(1)',
  '```',
  'An unpaired ` backtick and <b>bold</b>.',
  'Step 1: open <invoke>. Step 2: close it.',
  '<tool_call> is the tag that Qwen uses.',
  'The tag is\n<tool_call>tag',
  'It begins with: <tool_call>a',
  'Before a name stands <tool_call> a',
]

// EVIDENCE-OF docs/reference/model-servers.md: What stands within a sentence, in code or behind a colon as an example is text.
test.each(ORDINARY)('an ordinary answer stays as it is: %s', text => {
  expect(read(text)).toEqual({ answer: text, reasoning: '', calls: [], unreadCall: undefined })
})

test.each([
  { text: `I call it. ${json}`, answer: 'I call it. ' },
  { text: `I call it.\n${fence('json', json)}\n`, answer: 'I call it.\n' },
  { text: 'I call it. [add(a=1, b=2)]', answer: 'I call it. ' },
  { text: `It is in the list: [${json}, ${json}]`, answer: 'It is in the list: ' },
])('at the end of a reply, behind words, a call is one without a mark: $text', ({ text, answer }) => {
  const result = read(text)
  expect(result.answer).toBe(answer)
  expect(result.calls[0]).toEqual({ name: 'add', args: { a: 1, b: 2 } })
  expect(read(`${text}\nThat is all.`)).toMatchObject({ calls: [], answer: `${text}\nThat is all.` })
})

test.each([
  { text: json.slice(0, -3), answer: json.slice(0, -3), unreadCall: 'add' },
  { text: `<tool_call>\n${json.slice(0, -2)}\n</tool_call>`, unreadCall: 'add' },
  { text: '<function=other>\n<parameter=a>1', unreadCall: '' },
  { text: json.replace('add', 'other'), answer: json.replace('add', 'other'), unreadCall: '' },
  { text: call({ a: 1 }, 'other'), answer: call({ a: 1 }, 'other'), unreadCall: '' },
  { text: '[TOOL_CALLS]add[ARGS]{"a": 1,', unreadCall: 'add' },
  { text: '<tool_call>\n</tool_call>', unreadCall: '' },
  { text: 'I add.\n<tool_call>', answer: 'I add.\n', unreadCall: '' },
  { text: 'I add.\n<tool_call>a', answer: 'I add.\n', unreadCall: '' },
  { text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.ad', unreadCall: '' },
  { text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ad', unreadCall: '' },
  {
    text: `${call({ a: 1 }, 'other')}\n\nI wait for the result.`,
    answer: `${call({ a: 1 }, 'other')}\n\nI wait for the result.`,
    unreadCall: '',
  },
  { text: 'I add.<tool_call>nonsense</tool_call>', answer: 'I add.', unreadCall: '' },
  { text: '<tool_call>\n<function=add>\n{"a": 1\n</function>\n</tool_call>', unreadCall: 'add' },
  {
    text: 'I add.\n<function=add>\n<parameter=a>1</parameter>\n<parameter=b>2',
    answer: 'I add.\n',
    unreadCall: 'add',
  },
])('$text: the shape of a call, which cannot be read', ({ text, answer = '', unreadCall }) => {
  expect(read(text)).toMatchObject({ answer, calls: [], unreadCall })
})

test.each([
  { body: '{"name":"add","arguments":"{\\"a\\":1}"}', args: '{"a":1}' },
  {
    body: '<function=add>\n<parameter=a>\n1\n</parameter>\n<parameter=b>two</parameter></function>',
    args: '{"a":1,"b":"two"}',
  },
  { body: '{"name":"add","arguments":{"a":12345678901234567890}}', args: '{"a":12345678901234567890}' },
  { body: "add(a='it\\'s', b=[1, True, None, {'x': 2}])", args: '{"a":"it\'s","b":[1,true,null,{"x":2}]}' },
])('arguments: $body', ({ body, args }) => {
  const reader = new TextReader(tools)
  reader.add(`<tool_call>${body}</tool_call>`)
  reader.end()
  expect(reader.calls).toEqual([{ name: 'add', args, isClosed: true }])
})

test("a weak model's call in a fence is made; where none is allowed, it is no answer", async () => {
  const fenced = fence('json', json)
  const server = await openAIServer(() => streams([...fenced], 'stop'))
  const { run } = await testService({ ...server.env, MAX_STEPS: '4' }, { tools: [add] })
  expect(await run('Add')).toMatchObject({
    status: 'error',
    error: 'the model called tools in place of an answer',
  })
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

test('what has the shape of a call is asked for once more, and then an error that names its tool', async () => {
  const broken = `<tool_call>\n${json.slice(0, -2)}\n</tool_call>`
  const server = await openAIServer(() => says(broken))
  const { run } = await testService(server.env, { tools: [add] })
  expect(await run('Add')).toMatchObject({
    status: 'error',
    error: 'the model wrote a call of the tool "add" in a form that cannot be read',
  })
  expect(server.requests).toHaveLength(2)
})

test('if it names no tool on offer, it is the answer the second time', async () => {
  const other = call({ a: 1 }, 'other')
  const server = await openAIServer(() => says(other))
  const { run } = await testService(server.env, { tools: [add] })
  expect(await run('Add')).toMatchObject({ status: 'success', output: other, metrics: { steps: 1 } })
  expect(server.requests).toHaveLength(2)
})

test('reasoning that was streamed before its end was known is no part of the answer', async () => {
  const server = await openAIServer(inTurn(streams([...'Two of them.\n</think>\n\nIt is 3.'], 'stop')))
  const { run } = await testService(server.env, { tools: [add] })
  expect(await run('Add')).toMatchObject({ status: 'success', output: 'It is 3.' })
})
