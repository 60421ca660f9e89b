import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { expect, test } from 'vitest'
import { obedient } from '../habits/obedient-model.ts'
import { postTask, serve } from './container.ts'
import { command, image } from './image.ts'

// EVIDENCE-OF docs/guides/workshop.md: What a module imports, and what it reads beside itself, works alike in every command, or is refused
//   alike in one line:
test("an image of a project with another provider's chat class calls that provider, within the run's cap", async () => {
  const server = await openAIServer(() => obedient)
  const url = server.env.OPENAI_BASE_URL.replace('/v1', '')
  await serve(command, {
    OPENAI_API_KEY: 'sk-ant-of-nobody',
    MODEL: 'claude-of-ours',
    ANTHROPIC_BASE_URL: url,
  })
  const post = async (input: string, config: object) => await (await postTask(input, 'test-1', config)).json()
  expect(await post('Use calculator with {"expression":"2+3"}', {})).toMatchObject({
    status: 'success',
    output: '2 + 3 = 5',
    metrics: { steps: 3 },
  })
  expect(await post('Use price with {"name":"pear"}', {})).toMatchObject({ output: '4 euros' })
  expect(readdirSync(join(image, 'app/tools'))).toEqual(['prices.json'])
  expect(await post('Hello', { max_tokens: 2 })).toMatchObject({
    output: 'You said',
    // Two, plus the one of message_start, which LangChain's class adds to the total of message_delta.
    metrics: { output_tokens: 3 },
  })
  expect(server.requests.at(-1)).toMatchObject({
    headers: { 'x-api-key': 'sk-ant-of-nobody' },
    body: { model: 'claude-of-ours', max_tokens: 2, stream: true },
  })
})
