import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Endpoint, openRecording, recordedModel } from '@agent-task-service/cli/recording'
import { asks, call, fails, says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { testService } from '@agent-task-service/test-support/service'
import { expect, onTestFinished, test } from 'vitest'

const QUESTION = 'What is 15% of 240, in words?'
const MODEL = 'stand-in'

/** The example in docs/guides/workshop.md. */
test('leaves a percentage to the calculator, and words the answer', async () => {
  const service = await testService(await recordedModel('percentage', { model: MODEL }))
  const reply = await service.run(QUESTION)
  expect(reply).toMatchObject({ status: 'success', output: 'Thirty-six.', metrics: { steps: 3 } })
  expect(service.lines[0]).toMatchObject({ tools: ['calculator'], model: MODEL })
})

test('fails on what is not recorded, and says what is missing', async () => {
  const recording = await openRecording('percentage', { model: MODEL })
  const service = await testService(recording.env)
  expect(await service.run('What is 15% of 250, in words?')).toMatchObject({
    status: 'error',
    error: expect.stringContaining('404'),
  })
  await expect(recording.close()).rejects.toThrow(
    'test/recordings/percentage.json holds no reply to turn 1 of "What is 15% of 250, in words?": record it with npm run record',
  )
})

const key = 'sk-proj-Zx81TTmQw3vLr90AbCdEf'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'recordings-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Sends the question to a service whose model is recorded or replayed. */
async function replyOf(folder: string, endpoint?: Endpoint) {
  const { env, close } = await openRecording('new', { model: MODEL, folder, endpoint })
  const reply = await (await testService(env)).run(QUESTION)
  await close()
  return reply
}

// EVIDENCE-OF README.md: Around it are a workshop (the graph in LangGraph Studio, tools as small files, evaluation, recordings)
//   and a rehearsal of the marketplace: its staging route, health monitor, dashboard and acceptance checks.
test('records an exchange once, and replays it without the endpoint or a key', async () => {
  const server = await openAIServer(
    inTurn(
      asks([call('calculator', { expression: '15% of 240' })], { usage: usage(50, 9) }),
      says(`Thirty-six, by ${key}.`, { usage: usage(70, 4) }),
    ),
  )
  const folder = await newFolder()
  const endpoint = { apiKey: key, baseUrl: server.env.OPENAI_BASE_URL }
  const recorded = await replyOf(folder, endpoint)
  expect(recorded).toMatchObject({ status: 'success', metrics: { input_tokens: 120, output_tokens: 13 } })
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)

  // An exhausted script would fail: nothing is asked twice.
  expect(await replyOf(folder, endpoint)).toMatchObject({ status: 'success' })
  expect(server.requests).toHaveLength(2)
  const replayed = await replyOf(folder)
  expect(replayed.output).toBe('Thirty-six, by [redacted].')
  expect(replayed.metrics).toMatchObject({ input_tokens: 120, output_tokens: 13, steps: 3 })

  expect(await readdir(folder)).toEqual(['new.json'])
  const text = await readFile(join(folder, 'new.json'), 'utf8')
  expect(text).not.toContain(key)
  expect(text.toLowerCase()).not.toContain('authorization')
})

test("reports an endpoint's error, and records nothing", async () => {
  const server = await openAIServer(() => fails(401))
  const folder = await newFolder()
  const endpoint = { apiKey: key, baseUrl: server.env.OPENAI_BASE_URL }
  await expect(replyOf(folder, endpoint)).rejects.toThrow('the endpoint answered HTTP')
  expect(await readdir(folder)).toEqual([])
})

test('refuses a base URL that cannot be recorded', async () => {
  const endpoint = { apiKey: key, baseUrl: 'http://127.0.0.1:1/v1beta/openai' }
  await expect(replyOf(await newFolder(), endpoint)).rejects.toThrow('a base URL that ends in /v1')
})

function usage(prompt_tokens: number, completion_tokens: number) {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
