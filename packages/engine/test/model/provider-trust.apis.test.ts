import { json, says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

// EVIDENCE-OF docs/configuration.md: | `OPENAI_API_KEY` |
// EVIDENCE-OF docs/configuration.md: | `OPENAI_BASE_URL` |
// EVIDENCE-OF docs/guides/deployment.md: The model provider, the search engine and the pages it finds, and the MCP servers and
//   collectors you list; over TLS if their URLs say so.
// EVIDENCE-OF docs/reference/threat-model.md: It echoes keys, or sends nonsense, endless or hanging replies
test('the key goes to the provider as a bearer token, and to nobody else', async () => {
  const elsewhere = await openAIServer(inTurn(says('Trapped.')))
  const { OPENAI_BASE_URL } = elsewhere.env
  const redirect = json('', 307, { location: `${OPENAI_BASE_URL}/chat/completions` })
  const server = await openAIServer(inTurn(redirect))
  const { run } = await testService(server.env)
  expect(await run('Hello')).toMatchObject({
    status: 'error',
    error: `the model provider answered HTTP 307 (redirects to ${new URL(OPENAI_BASE_URL).origin})`,
  })
  expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${server.env.OPENAI_API_KEY}`)
  expect(elsewhere.requests).toHaveLength(0)
})

// EVIDENCE-OF docs/reference/threat-model.md: Redirects to another origin are refused, replies are limited to 16 MiB, each reply is checked,
//   and provider errors are never quoted
test('cuts off an endless text without a space too; none of it is in the reply', async () => {
  const flood: Reply = response => {
    const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(4_096) } }] })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.on('error', () => {})
    const pour = (): void => {
      while (!response.destroyed && response.write(event));
      if (!response.destroyed) response.once('drain', pour)
    }
    pour()
  }
  const server = await openAIServer(() => flood)
  const { run } = await testService(server.env)
  expect(await run('Hello')).toMatchObject({
    status: 'error',
    output: '',
    error: 'the model provider sent an unusable reply',
  })
  expect(server.requests).toHaveLength(1)
})
