import { asks, call } from '@agent-task-service/test-support/openai-replies'
import { openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { testService } from '@agent-task-service/test-support/service'
import { CallbackManager, CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { tool } from '@langchain/core/tools'
import { RunTree } from 'langsmith'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'

/** What LangChain would do in the run below: 75 copies of managers, 573 of metadata, 31 run trees, and 20 requests for random bytes. */
const MOST = { copies: 12, metadata: 120, random: 12 }

/** An answer of five pieces that arrive together. */
const fivePieces: Reply = response => {
  const chunks = ['One', ' plus', ' two', ' is', ' three.'].map(content => ({ delta: { content } }))
  const events = [...chunks, { delta: {}, finish_reason: 'stop' }].map(choice => ({
    choices: [{ index: 0, ...choice }],
  }))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`${events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`)
}

test('a run that is not traced makes no run tree, and few copies of what LangChain copies for each runnable', async () => {
  const server = await openAIServer((_, index) =>
    index % 2 === 0 ? asks([call('add', { terms: [1, 2] })]) : fivePieces,
  )
  const schema = z.object({ terms: z.array(z.number()) })
  const add = tool(({ terms }) => `${terms}`, { name: 'add', description: 'Adds', schema })
  const { run } = await testService({ ...server.env, OPENAI_API: 'chat' }, { tools: [add] })
  // Converts the tools.
  await run('What is 1 + 2?')
  const spies = {
    // Private, but what the constructor calls first.
    trees: vi.spyOn(RunTree as never, 'getDefaultConfig'),
    copies: vi.spyOn(CallbackManager.prototype, 'copy'),
    metadata: vi.spyOn(CallbackManager.prototype, 'addMetadata'),
    parts: vi.spyOn(CallbackManagerForLLMRun.prototype, 'handleLLMNewToken'),
    random: vi.spyOn(crypto, 'getRandomValues'),
  }
  let schemasRead = 0
  Object.defineProperty(add, 'schema', {
    get() {
      schemasRead += 1
      return schema
    },
  })
  expect(await run('What is 1 + 2?')).toMatchObject({ status: 'success', output: 'One plus two is three.' })

  const { trees, copies, metadata, parts, random } = spies
  expect(random.mock.calls.length).toBeLessThanOrEqual(MOST.random)
  expect(trees).not.toHaveBeenCalled()
  expect(copies.mock.calls.length).toBeLessThanOrEqual(MOST.copies)
  expect(metadata.mock.calls.length).toBeLessThanOrEqual(MOST.metadata)
  // One for each reply.
  expect(parts).toHaveBeenCalledTimes(2)
  // To validate the call's arguments, but not to describe the tool to the model.
  expect(schemasRead).toBeLessThanOrEqual(2)
})
