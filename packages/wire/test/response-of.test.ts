import { createServer } from 'node:http'
import { listening } from '@agent-task-service/test-support/mcp/listening'
import { limitInterimReplies } from '@agent-task-service/wire/response-of'
import { expect, test } from 'vitest'

test.each([
  { interim: 8, text: 'word' },
  { interim: 9, text: undefined },
])('of a reply behind $interim interim replies, fetch reads $text', async ({ interim, text }) => {
  const server = createServer((_request, response) => {
    for (let n = 0; n < interim; n += 1) response.writeProcessing()
    response.end('word')
  })
  const { url } = await listening(server)
  limitInterimReplies()
  limitInterimReplies()
  const read = async () => await (await fetch(url)).text()
  // On one connection, which each counts for itself.
  for (let request = 0; request < 2; request += 1) expect(await read().catch(() => undefined)).toBe(text)
})
