import { json, says } from '@agent-task-service/test-support/openai-replies'
import { fallbackTo, inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

const refuses = (error: object | string, status = 400): Reply => json({ error }, status)
const TASK = 'word '.repeat(12_000)

async function errorOf(refusal: Reply, input = TASK): Promise<unknown> {
  const server = await openAIServer(inTurn(refusal))
  const { run } = await testService({ ...server.env, LOG_ERRORS: 'brief' }, { tools: [] })
  const { status, error } = (await run(input)) as Record<string, unknown>
  expect(status).toBe('error')
  return error
}

test.each([
  {
    provider: 'OpenAI',
    message:
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 12034 tokens. Please reduce the length of the messages.",
    figures: ': about 12,034 tokens, and it takes 8,192',
  },
  {
    provider: 'vLLM',
    message:
      "This model's maximum context length is 4096 tokens. However, you requested 12600 tokens (12100 in the messages, 500 in the completion). Please reduce the length of the messages or completion.",
    figures: ': about 12,600 tokens, and it takes 4,096',
  },
  {
    provider: 'Anthropic',
    message: 'prompt is too long: 208310 tokens > 200000 maximum',
    figures: ': about 208,310 tokens, and it takes 200,000',
  },
  {
    provider: 'Gemini',
    message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    figures: ': about 1,200,000 tokens, and it takes 1,048,576',
  },
  {
    provider: 'Mistral',
    message:
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    figures: ': about 40,000 tokens, and it takes 32,768',
  },
  {
    provider: 'llama.cpp',
    message:
      'the request exceeds the available context size. try increasing the context size or enable context shift',
    figures: ': about 12,000 tokens, and it takes 8,192',
    n_ctx: 8192,
  },
  {
    provider: 'Bedrock',
    message: 'Input is too long for requested model.',
    figures: ': about 12,000 tokens',
  },
  {
    provider: 'a server that counts otherwise',
    message: "This model's maximum context length is 16384 tokens. Please reduce the length of the messages.",
    figures: ', which takes 16,384 tokens',
  },
])('$provider says how long the task may be, and so does the reply', async ({ message, figures, n_ctx }) => {
  const error = { message, type: 'invalid_request_error', code: 'context_length_exceeded', n_ctx }
  expect(await errorOf(refuses(error))).toBe(`the task is too long for the model${figures}`)
})

test('a refusal without a word, such as of a proxy', async () => {
  expect(await errorOf(json('Request Entity Too Large', 413))).toMatch(
    /^the task is too long for the model: about 12,\d00 tokens$/,
  )
})

test('figures that the refusal may have quoted from the task are none', async () => {
  const message = 'maximum context length is 8192 tokens, in: my limit is 99999 tokens'
  const error = await errorOf(refuses({ message }), `My limit is 99999 tokens. ${TASK}`)
  expect(error).toMatch(/about 12,000 tokens, and it takes 8,192$/)
})

test('a fallback that takes more answers', async () => {
  const message = "This model's maximum context length is 8192 tokens."
  const [small, large] = [
    await openAIServer(inTurn(refuses({ message }))),
    await openAIServer(inTurn(says('Fine.'))),
  ]
  const env = { ...small.env, ...fallbackTo(large), LOG_ERRORS: 'brief' }
  const { run } = await testService(env, { tools: [] })
  expect(await run(TASK)).toMatchObject({ status: 'success', output: 'Fine.' })
})
