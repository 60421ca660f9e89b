import { call, completion, says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

/** A run with these replies in turn, and what its log line says about the end. */
async function runReplies(...replies: Reply[]) {
  const server = await openAIServer(inTurn(...replies))
  const service = await testService(server.env, { tools: [add] })
  const reply = await service.run('Say something')
  expect(server.requests).toHaveLength(replies.length)
  return { reply, stop: service.lines.find(({ msg }) => msg === 'run')?.stop }
}

const text = (value: string) => ({ type: 'text', text: value })

// EVIDENCE-OF docs/reference/errors.md: | `answer` |
test.each([
  { title: 'plain text', reply: says('Hello.'), output: 'Hello.' },
  {
    title: 'white space around the text, kept',
    reply: says('\n Hello. \n'),
    output: '\n Hello. \n',
  },
  { title: 'several parts', reply: says([text('Hel'), text('lo'), text('.')]), output: 'Hello.' },
  { title: 'no finish_reason', reply: says('Hello.', { finish: '' }), output: 'Hello.' },
  { title: 'an unknown finish_reason', reply: says('Hello.', { finish: 'eos' }), output: 'Hello.' },
  { title: 'tool_calls empty', reply: completion({ content: 'Hello.', tool_calls: [] }), output: 'Hello.' },
  {
    title: 'text next to a refusal',
    reply: completion({ role: 'assistant', content: 'Hello.', refusal: 'No.' }),
    output: 'Hello.',
  },
])('$title is an answer', async ({ reply, output }) => {
  expect(await runReplies(reply)).toMatchObject({ reply: { status: 'success', output }, stop: 'answer' })
})

test('an answer that the model itself cut is a success with the text so far', async () => {
  expect(await runReplies(says('Once upon a', { finish: 'length' }))).toMatchObject({
    reply: { status: 'success', output: 'Once upon a' },
    stop: 'max_tokens',
  })
})

// EVIDENCE-OF docs/reference/errors.md [a refusal is not an answer: the run fails and says why]: | `refusal` |
// EVIDENCE-OF docs/reference/errors.md [a filtered text is not an answer: the run fails and says why]: The provider's content filter
//   withheld the answer
// EVIDENCE-OF docs/reference/errors.md [white space is not an answer: the run fails and says why]: The model's answer was empty, or the
//   graph ended without an answer
test.each([
  { title: 'null', reply: says(null), stop: 'empty_answer', error: 'the model gave an empty answer' },
  {
    title: 'white space',
    reply: says(' \n\t '),
    stop: 'empty_answer',
    error: 'the model gave an empty answer',
  },
  {
    title: 'a refusal',
    reply: completion({ role: 'assistant', content: null, refusal: 'I will not do that.' }),
    stop: 'refusal',
    error: 'the model refused the task: I will not do that.',
  },
  {
    title: 'a refusal as a part',
    reply: says([{ type: 'refusal', refusal: 'I will not do that.' }]),
    stop: 'refusal',
    error: 'the model refused the task: I will not do that.',
  },
  {
    title: 'a filtered text',
    reply: says('Some of it', { finish: 'content_filter' }),
    stop: 'content_filter',
    error: "the model's answer was withheld by the provider's content filter",
  },
  {
    title: "nothing before the model's own limit",
    reply: says('', { finish: 'length' }),
    stop: 'max_tokens',
    error: "the model's own limit was used up before there was an answer",
  },
])('$title is not an answer: the run fails and says why', async ({ reply, stop, error }) => {
  // A second try may turn an empty answer into a real one.
  const replies = stop === 'empty_answer' ? [reply, reply] : [reply]
  expect(await runReplies(...replies)).toEqual({
    reply: { task_id: 'test-1', status: 'error', output: '', metrics: {}, error },
    stop,
  })
})

test('text next to tool calls is not the answer yet', async () => {
  const { function: asked, id, type } = call('add', { a: 1, b: 2 })
  const thinking = completion(
    { role: 'assistant', content: 'Let me see.', tool_calls: [{ id, type, function: asked }] },
    { finish: 'tool_calls' },
  )
  expect(await runReplies(thinking, says('3'))).toMatchObject({
    reply: { status: 'success', output: '3', metrics: { steps: 3 } },
    stop: 'answer',
  })
})
