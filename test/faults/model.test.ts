import { beforeAll, expect, test } from 'vitest'
import { loadTokenizer } from '../../graph/run/tokens.ts'
import { runResponse } from '../../src/wire/contract.ts'
import { testService } from '../support/service.ts'
import { hostileModel, type Mode } from './hostile-model.ts'

const RUNS = 5
/** If the model never ends, the deadline must end the run; otherwise it must not. */
const SHORT = 1
const LONG = 15

// Once per process, loading the tokenizer that counts runs that time out takes half a second.
beforeAll(async () => void (await loadTokenizer()))

interface Expected {
  readonly deadlineSec: number
  readonly status: string
  readonly error?: RegExp
}

const expected: Record<Mode, Expected> = {
  hang_before_headers: {
    deadlineSec: SHORT,
    status: 'timeout',
    error: new RegExp(`time limit of ${SHORT} s`),
  },
  trickle: { deadlineSec: SHORT, status: 'timeout', error: new RegExp(`time limit of ${SHORT} s`) },
  sse_comments_only: { deadlineSec: SHORT, status: 'timeout', error: new RegExp(`time limit of ${SHORT} s`) },
  cut_stream: { deadlineSec: LONG, status: 'error', error: /broke off/ },
  html_with_200: { deadlineSec: LONG, status: 'error', error: /an unusable reply/ },
  wrong_shape: { deadlineSec: LONG, status: 'error', error: /an unusable reply/ },
  redirect_loop: { deadlineSec: LONG, status: 'error', error: /HTTP 307/ },
  endless_tool_calls: { deadlineSec: LONG, status: 'error', error: /called tools in place/ },
  tool_calls_200: { deadlineSec: LONG, status: 'success' },
}

async function check(mode: string, { deadlineSec, status, error }: Expected): Promise<void> {
  const model = await hostileModel()
  const { post, lines } = await testService({
    ...model.env(mode),
    RUN_TIMEOUT_SEC: `${deadlineSec}`,
    MAX_STEPS: '12',
  })
  const replies = Array.from({ length: RUNS }, async (_, n) => {
    // In the run's own event loop: a busy machine delays both.
    const late = new Promise<undefined>(resolve => setTimeout(resolve, (deadlineSec + 1) * 1000, undefined))
    return await Promise.race([post({ task_id: `test-${n}`, input: 'anything' }), late])
  })
  for (const [n, reply] of (await Promise.all(replies)).entries()) {
    expect(reply?.status, `run ${n} is answered in time`).toBe(200)
    const body = runResponse.parse(await reply?.json())
    expect(body).toMatchObject({ task_id: `test-${n}`, status })
    if (error) expect(body).toMatchObject({ error: expect.stringMatching(error) })
    expect(JSON.stringify(body)).not.toContain('HOSTILE')
  }
  await model.until(0)
  await model.close()
  expect(lines.filter(({ msg }) => msg === 'run')).toHaveLength(RUNS)
  expect(JSON.stringify(lines)).not.toContain('HOSTILE')
}

const TITLE = `%s: each of ${RUNS} runs is answered in time, and the model is let go`
const modes = Object.entries(expected)
/** Modes that keep a processor busy; the others only wait. */
const BUSY = ['endless_tool_calls', 'tool_calls_200']

test.each(modes.filter(([mode]) => BUSY.includes(mode)))(TITLE, check)
test.concurrent.each(modes.filter(([mode]) => !BUSY.includes(mode)))(TITLE, check)

test("hides a key in a provider's code, even one unknown to the service", async () => {
  const foreign = 'sk_live_abcdefghijklmnopqrstuvwx'
  const echo = await hostileModel({
    key_in_code: (_request, response) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { code: foreign } })),
  })
  const { run, lines } = await testService(echo.env('key_in_code'))
  expect(await run('anything')).toMatchObject({ error: expect.stringContaining('HTTP 400') })
  expect(JSON.stringify([await run('anything'), lines])).not.toContain(foreign)
  await echo.close()
})
