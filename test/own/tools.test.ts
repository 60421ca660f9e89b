import { fakeServer, reply } from '@agent-task-service/test-support/web/fake-server'
import { searxngReply } from '@agent-task-service/test-support/web/replies'
import { expect, test } from 'vitest'
import { calculator } from '../../tools/calculator.ts'
import { createWebSearch } from '../../tools/web-search.ts'

/** A search at a server of its own. */
async function search(query: string) {
  const { url, received } = await fakeServer(reply(searxngReply))
  const answer = createWebSearch({ engines: [{ provider: 'searxng', url }] }).invoke({ query })
  return { answer, received }
}

test('the calculator refuses a member that it does not know, and names the right one', async () => {
  const failure = calculator.invoke({ expression: '1 + 1', query: '2' } as never)
  await expect(failure).rejects.toThrow('there is no member query; write expression')
})

test.each([' \n\t ', 'x'.repeat(301)])(
  'web_search refuses an unusable query, without a request (%#)',
  async query => {
    const { answer, received } = await search(query)
    await expect(answer).rejects.toThrow('schema')
    expect(received).toEqual([])
  },
)

test('web_search folds the query to one line', async () => {
  const { answer, received } = await search(` ${'x'.repeat(290)}\n\u0000y `)
  await answer
  expect(received[0]?.parameters.q).toBe(`${'x'.repeat(290)} y`)
})
