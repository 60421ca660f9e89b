import { startAgent } from '@agent-task-service/rehearsal/agents'
import { runChecks } from '@agent-task-service/rehearsal/checks'
import { startBackend } from '@agent-task-service/test-support/backend'
import { describe, expect, test } from 'vitest'
import { program } from '../agents/program.ts'

describe.concurrent('a model that never answers', () => {
  /** Calls the model whose address is in `MODEL_URL`, for this long at most; succeeds without one. */
  const asking = (limit: string) => `
    const metrics = { duration_sec: 1, input_tokens: 1, output_tokens: 1, steps: 1 }
    require('node:http').createServer(async (request, response) => {
      let status = 'success'
      if (request.url === '/run' && process.env.MODEL_URL) {
        await fetch(process.env.MODEL_URL, { signal: ${limit} }).catch(() => { status = 'timeout' })
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ task_id: 'test-1', status, output: '', metrics }))
    }).listen(port, '127.0.0.1')`

  async function givenUp(limit: string) {
    const model = await startBackend(() => {})
    const agent = await program(asking(limit))
    const start = await startAgent(agent)
    const startStalled = () => startAgent({ ...agent, environment: { MODEL_URL: model.url } })
    const limits = { runTimeoutMs: 1_500, logSettleMs: 20, logLateMs: 0 }
    const { groups } = await runChecks({ url: agent.url, start, startStalled, limits, only: ['end'] })
    return groups[0]!.assertions.find(({ id }) => id === 'end.gives_up')!
  }

  test('is detected if the agent waits for it forever', async () => {
    expect(await givenUp('undefined')).toMatchObject({
      verdict: 'fail',
      detail: 'expected a reply, but no complete reply within 1.5 s',
    })
  })

  test('does not delay an agent that gives up', async () => {
    expect(await givenUp('AbortSignal.timeout(50)')).toMatchObject({ verdict: 'pass' })
  })
})
