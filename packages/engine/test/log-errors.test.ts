import { ScriptedModel } from '@agent-task-service/engine/testing'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { Command } from '@langchain/langgraph'
import { expect, test } from 'vitest'

const KEY = 'sk-proj-KEYkeyKEYkey1234567890'
const TOKEN = 'a-token-of-our-own'
const asks = (name: string) => ({ toolCalls: [{ name }] })

/** The log of a run whose tool throws, and of one that fails outside its tools. */
async function logOf(env: Record<string, string>) {
  const tools = [
    tool('exchange', () => {
      throw new Error(`FX says 401 to ${KEY}`, { cause: new TypeError(`wrong: ${TOKEN}`) })
    }),
    tool('spoil', () => new Command({ update: { messages: [{ role: 'nobody' }] } })),
  ]
  const model = new ScriptedModel([asks('exchange'), asks('spoil')])
  const { post, lines } = await testService(
    { AGENT_TOKENS: TOKEN, ...env },
    { tools, models: [model.named()] },
  )
  const headers = { authorization: `Bearer ${TOKEN}` }
  await (await post({ task_id: 'test-1', input: 'Go on' }, headers)).text()
  return { lines, text: JSON.stringify(lines) }
}

// EVIDENCE-OF README.md: `npm run dev` serves from the sources, restarts on every save, and logs the messages and stacks of
//   your own errors.
// EVIDENCE-OF docs/configuration.md: | `LOG_ERRORS` |
// EVIDENCE-OF docs/reference/image.md: `LOG_ERRORS=full` adds error messages and stacks, with secrets masked, which may quote
//   a task
// EVIDENCE-OF docs/reference/tool-rules.md: The log has a line `tool failed`: with message and stack under `npm run dev`, in
//   Studio and with `LOG_ERRORS=full`, otherwise with class and location only
test('LOG_ERRORS=full: messages and stacks of tools and of the graph, without secrets', async () => {
  const { lines, text } = await logOf({ LOG_ERRORS: 'full' })
  expect(lines).toMatchObject([
    {
      msg: 'tool failed',
      err: {
        name: 'Error',
        message: 'FX says 401 to [redacted]',
        stack: expect.stringMatching(/^Error: FX says 401 to \[redacted\]\n +at .*log-errors\.test\.ts/),
        cause: {
          name: 'TypeError',
          message: 'wrong: [redacted]',
          stack: expect.stringContaining('log-errors'),
        },
      },
    },
    { msg: 'run', stop: 'internal', err: { message: expect.stringContaining('nobody') } },
  ])
  expect(text).not.toContain(KEY)
  expect(text).not.toContain(TOKEN)
})

// EVIDENCE-OF docs/configuration.md: | `LOG_ERRORS` |
// EVIDENCE-OF docs/reference/image.md: `LOG_ERRORS=full` adds error messages and stacks, with secrets masked, which may quote
//   a task
// EVIDENCE-OF docs/reference/errors.md: A bug in the service; the log says where
// EVIDENCE-OF docs/reference/errors.md: A bug in the agent, or an error that a node threw; the log says where
// EVIDENCE-OF docs/guides/graph.md: `the agent failed`; the log has its class and location, Studio its message
// EVIDENCE-OF docs/reference/tool-rules.md: The log has a line `tool failed`: with message and stack under `npm run dev`, in
//   Studio and with `LOG_ERRORS=full`, otherwise with class and location only
test('LOG_ERRORS=brief: class and location, no words', async () => {
  const { lines, text } = await logOf({ LOG_ERRORS: 'brief' })
  expect(lines).toMatchObject([
    {
      err: {
        name: 'Error',
        frames: [expect.stringContaining('log-errors'), ...Array(4).fill(expect.any(String))],
      },
    },
    { stop: 'internal', err: { frames: expect.any(Array) } },
  ])
  expect(text).not.toMatch(/FX says|wrong:|nobody/)
})
