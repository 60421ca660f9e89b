import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { startProcess } from '@agent-task-service/test-support/process'
import { runResponse } from '@agent-task-service/wire/contract'
import { expect, test } from 'vitest'

// Few slots, so that ten times their load does not keep this process, which sends all of it, from measuring.
const PLACES = 4
const MODEL_MS = 100
/** The service's capacity: this many runs per second. */
const CAPACITY = PLACES * (1000 / MODEL_MS)
const OVERLOAD_SEC = 15

// EVIDENCE-OF docs/reference/threat-model.md: A limit of runs and a short queue, then 503.
test('ten times its capacity for 15 s: refusals are fast, accepted tasks get replies, then all is well', async () => {
  const model = await openAIServer(async () => {
    await new Promise(resolve => setTimeout(resolve, MODEL_MS))
    return says('done', { usage: { prompt_tokens: 10, completion_tokens: 5 } })
  })
  const env = {
    ...model.env,
    MAX_CONCURRENT_RUNS: `${PLACES}`,
    MAX_QUEUED_RUNS: `${PLACES}`,
    RUN_TIMEOUT_SEC: '10',
  }
  const service = await startProcess(env)
  const tally = { taken: 0, refused: 0 }
  const refusalMs: number[] = []
  const send = async (n: number) => {
    const started = performance.now()
    const response = await service.post({ task_id: `test-${n}`, input: 'anything' })
    const reply = runResponse.parse(await response.json())
    if (response.status === 503) {
      tally.refused += 1
      refusalMs.push(performance.now() - started)
      expect(response.headers.get('retry-after')).toBe('1')
    } else {
      tally.taken += 1
      expect(reply).toMatchObject({ status: 'success', output: 'done' })
    }
  }
  const sent: Promise<void>[] = []
  const everyMs = 50
  const atOnce = (10 * CAPACITY * everyMs) / 1000
  for (let tick = 0; tick < (OVERLOAD_SEC * 1000) / everyMs; tick += 1) {
    for (let n = 0; n < atOnce; n += 1) sent.push(send(sent.length))
    await new Promise(resolve => setTimeout(resolve, everyMs))
  }
  await Promise.all(sent)
  refusalMs.sort((a, b) => a - b)
  const [p50 = 0, p99 = 0] = [0.5, 0.99].map(share => refusalMs[Math.floor(share * refusalMs.length)])
  process.stdout.write(
    `overload: ${JSON.stringify(tally)}, refusals p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms\n`,
  )
  expect(tally.taken).toBeGreaterThan(PLACES)
  expect(tally.refused).toBeGreaterThan(tally.taken)

  // There is room again as soon as the burst is over.
  const after = await service.post({ task_id: 'test-1', input: 'anything' })
  expect(await after.json()).toMatchObject({ status: 'success' })
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
}, 300_000)
