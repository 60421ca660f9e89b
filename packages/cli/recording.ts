import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createMask } from '@agent-task-service/wire/masking'
import { type Fixture, type JournalEntry, LLMock } from '@copilotkit/aimock'
import { onTestFinished } from 'vitest'

/** In the current folder, which is that of an agent. */
const FOLDER = 'test/recordings'

/** A model endpoint for requests without a recording. */
export interface Endpoint {
  readonly apiKey: string
  /** Up to and including `/v1`. */
  readonly baseUrl: string
}

export interface RecordingOptions {
  /** The model to ask; each recording holds one model. */
  readonly model: string
  /** Absent: with `RECORD=1` the one in `OPENAI_API_KEY` and `OPENAI_BASE_URL`, otherwise none (replay only). */
  readonly endpoint?: Endpoint | undefined
  /** Folder of the recordings; absent: `test/recordings`. */
  readonly folder?: string
}

export interface Recording {
  /** The service's environment for the recorded model. */
  readonly env: { OPENAI_API_KEY: string; OPENAI_BASE_URL: string; MODEL: string }
  /**
   * Saves new recordings without secrets.
   *
   * @throws when a request had no recording, or the endpoint answered with an error
   */
  close(): Promise<void>
}

/**
 * A recorded model for one test, which fails if a request has no recording.
 *
 * @returns the service's environment
 *
 * @example
 * const env = await recordedModel('my-percentage', { model: 'gpt-4.1-mini' })
 * const service = await testService(agent, { env })
 */
export async function recordedModel(name: string, options: RecordingOptions): Promise<Recording['env']> {
  const { env, close } = await openRecording(name, options)
  onTestFinished(close)
  return env
}

/**
 * A model that replays `<folder>/<name>.json` over the wire. Requests match by model, last user question and number of
 * model turns since; the rest may change.
 */
export async function openRecording(name: string, options: RecordingOptions): Promise<Recording> {
  const { model, endpoint = endpointOfProcess(process.env), folder = FOLDER } = options
  const file = join(folder, `${name}.json`)
  // Otherwise aimock would use one turn's reply for another.
  process.env.AIMOCK_STRICT_TURN_INDEX = '1'
  const mock = new LLMock({ port: 0, strict: false, requestTransform: request => request })
  if (existsSync(file)) mock.loadFixtureFile(file)
  const known = mock.getFixtures().length
  // aimock writes unmasked files, so they stay in a temporary folder.
  const scratch = await mkdtemp(join(tmpdir(), 'recording-'))
  if (endpoint) {
    const providers = { openai: withoutVersion(endpoint.baseUrl) }
    mock.enableRecording({ providers, fixturePath: scratch, recordFullModelVersion: true })
  }
  await mock.start()
  return {
    env: {
      OPENAI_API_KEY: endpoint?.apiKey ?? 'no-key-in-a-replay',
      OPENAI_BASE_URL: `${mock.url}/v1`,
      MODEL: model,
    },
    async close() {
      const requests = mock.getRequests()
      await mock.stop()
      await rm(scratch, { recursive: true })
      for (const { response, body } of requests) {
        if (response.status >= 400) throw new Error(unanswered(response, body, relative('.', file), endpoint))
      }
      const fixtures = mock.getFixtures()
      if (fixtures.length === known) return
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, textOf(fixtures, endpoint?.apiKey ?? ''))
    },
  }
}

function endpointOfProcess(env: NodeJS.ProcessEnv): Endpoint | undefined {
  if (env.RECORD !== '1') return undefined
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl = 'https://api.openai.com/v1' } = env
  if (!apiKey)
    throw new Error('RECORD=1: expected OPENAI_API_KEY, the key of the model to record; got nothing')
  return { apiKey, baseUrl }
}

function withoutVersion(baseUrl: string): string {
  if (!/\/v1\/?$/.test(baseUrl)) throw new Error('to record, expected a base URL that ends in /v1')
  return baseUrl.replace(/\/v1\/?$/, '')
}

function unanswered(
  { status }: JournalEntry['response'],
  body: JournalEntry['body'],
  file: string,
  endpoint: Endpoint | undefined,
): string {
  if (endpoint) return `the endpoint answered HTTP ${status}: nothing is recorded in ${file}`
  const messages = (body as { messages?: { role: string; content: unknown }[] } | null)?.messages ?? []
  const question = messages.findLast(({ role }) => role === 'user')?.content
  const turn = messages.filter(({ role }) => role === 'assistant').length + 1
  return `${file} holds no reply to turn ${turn} of ${JSON.stringify(question)}: record it with npm run record`
}

/** Omits the recorded delays, so that a replay runs faster. */
function textOf(fixtures: readonly Fixture[], apiKey: string): string {
  const kept = fixtures.map(({ match, response, metadata }) => ({ match, response, metadata }))
  const mask = createMask([apiKey])
  return `${mask.external(JSON.stringify({ fixtures: kept }, null, 2))}\n`
}
