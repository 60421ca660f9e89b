import { startLangSmith } from '@agent-task-service/test-support/langsmith-server'
import { asks, call, says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { readConfig } from '@agent-task-service/test-support/read-config'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

const KEY = 'c7d1-4e0b-a2f9'
const PASSWORD = 'hunter22'
const TEXT = `the key ${KEY}, the password ${PASSWORD}`
const ENVIRONMENT = { CRM_KEY: KEY, DATABASE_URL: `postgres://app:${PASSWORD}@db/crm`, MOTTO: 'c7d1-4e0b' }
const MASKED = 'the key [redacted], the password [redacted]'

/** A service with tools that tell what they read from the environment, and a model that repeats it. */
async function serviceWith(env: Record<string, string>) {
  const { env: model } = await openAIServer(
    inTurn(asks([call('crm', { note: TEXT, [KEY]: 'a name' }, '1'), call('broken', {}, '2')]), says(TEXT)),
  )
  const crm = tool('crm', () => TEXT)
  const broken = tool('broken', () => {
    throw new Error(TEXT)
  })
  return await testService({ ...model, LOG_LEVEL: 'debug', ...env }, { tools: [crm, broken] })
}

// EVIDENCE-OF docs/configuration.md: Of JSON, the members with such names are masked too; of a key in several lines, each line;
// EVIDENCE-OF docs/configuration.md: in a URL: the password, in the value of any variable, as in
//   `DATABASE_URL=postgres://app:hunter22@db/crm` or `…?password=hunter22`, and members with such names of a query or a
//   connection string, as in `AccountName=crm;AccountKey=…`.
// EVIDENCE-OF docs/reference/threat-model.md: Secrets are masked in every line, reply and event, even those split over
//   several pieces
test('what looks secret in the environment is in no reply, event, log line or trace, and is named at start', async () => {
  const langSmith = await startLangSmith()
  const { post, lines, close } = await serviceWith({ ...ENVIRONMENT, ...langSmith.env })
  expect(lines).toMatchObject([{ msg: 'masked by guess', variables: ['CRM_KEY', 'DATABASE_URL'] }])
  const response = await post({ task_id: 'test-1', input: 'Go on' }, { accept: 'text/event-stream' })
  const events = await response.text()
  expect(events).toContain(
    JSON.stringify({ arguments: JSON.stringify({ note: MASKED, '[redacted]': 'a name' }) }).slice(1, -1),
  )
  expect(events).toContain(`"result":"${MASKED}"`)
  expect(events).toContain(`"output":"${MASKED}"`)
  await close()
  const traces = JSON.stringify(await langSmith.runs())
  expect(traces).toContain(MASKED)
  expect(traces).toContain('[redacted]\\":')
  const log = JSON.stringify(lines)
  expect(log).toContain(`Error: ${MASKED}`)
  for (const text of [events, log, traces]) {
    expect(text).not.toContain(KEY)
    expect(text).not.toContain(PASSWORD)
  }
})

// EVIDENCE-OF docs/configuration.md: | `UNMASKED_VARIABLES` |
test('UNMASKED_VARIABLES are exempt from guesses, not from what is declared', async () => {
  const env = { ...ENVIRONMENT, TAVILY_API_KEY: `${KEY}-too`, UNMASKED_VARIABLES: 'CRM_KEY, TAVILY_API_KEY' }
  const { run, lines } = await serviceWith(env)
  expect(lines).toMatchObject([{ msg: 'masked by guess', variables: ['DATABASE_URL'] }])
  expect(await run('Go on')).toMatchObject({ output: `the key ${KEY}, the password [redacted]` })
})

// EVIDENCE-OF docs/configuration.md: Where one is shorter, the line `CRM_KEY: expected 12 characters or more to mask a secret
//   in logs and replies, got fewer` names the variable at start.
test('a secret that is too short to be masked is named at start, once, without its value', async () => {
  const { run, lines } = await serviceWith({ CRM_KEY: 'sh0rt' })
  const warning = 'CRM_KEY: expected 12 characters or more to mask a secret in logs and replies, got fewer'
  await run('Go on')
  const naming = lines.filter(line => JSON.stringify(line).includes('CRM_KEY'))
  expect(naming).toMatchObject([{ level: 'warn', msg: warning }])
  expect(JSON.stringify(lines)).not.toContain('sh0rt')
})

test('nothing is named where nothing is masked by guess', async () => {
  const env = { MOTTO: KEY, HTTPS_PROXY: 'http://me:hunter22@proxy:3128', REDIS_URL: 'redis://:hunter22@db' }
  expect(readConfig(env)).toMatchObject({ maskedByGuess: [], secrets: expect.arrayContaining([PASSWORD]) })
  const { lines } = await serviceWith({ MOTTO: KEY })
  expect(lines).toEqual([])
})
