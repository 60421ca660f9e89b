import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { ASK_FOR_RUNS, type ToldEvent } from '../../src/wire/run-events.ts'
import { PROCESS_ENTRY } from '../support/process.ts'

test('tells its parent of runs only once it has been asked, and does not wait for it to exit', async () => {
  const child = spawn(process.execPath, [PROCESS_ENTRY], {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  let port: unknown
  while (port === undefined) port = JSON.parse(String((await lines.next()).value)).port
  const told: ToldEvent[] = []
  child.on('message', message => told.push(message as ToldEvent))
  const run = async (task_id: string) =>
    await fetch(`http://127.0.0.1:${port}/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ task_id, input: 'What is 6 times 7?' }),
    }).then(reply => reply.json())
  await run('test-1')
  child.send(ASK_FOR_RUNS)
  // It may read the request first.
  for (let id = 2; told.at(-1)?.type !== 'run_finished'; id += 1) await run(`test-${id}`)
  expect(told[0]).toMatchObject({ run: 1, type: 'run_started' })
  expect(told.map(({ task_id }) => task_id)).not.toContain('test-1')
  expect(told.at(-1)!.data).toEqual({ v: 1, at: expect.any(Number), cost_usd: 0 })
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
