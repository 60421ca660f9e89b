/** Does many runs, every fourth hung up midway, and prints what is left of them as one line of JSON. */

import { readConfig } from '@agent-task-service/engine/config'
import { createService } from '@agent-task-service/engine/service'
import { loadTokenizer } from '@agent-task-service/engine/tokens'
import { agent } from '@agent-task-service/test-support/agent/test-agent'

const [warmUp = 0, runs = 0] = process.argv.slice(2).map(Number)
const AT_ONCE = 100

const { app } = await createService(agent, readConfig({ ...process.env, LOG_LEVEL: 'silent' }, agent))

// 16 MB, once: without this, the first run whose caller hangs up between two words of an answer loads it.
await loadTokenizer()

async function run(n: number): Promise<void> {
  const hangsUp = n % 4 === 3
  const caller = new AbortController()
  const mode = hangsUp ? 'hang' : 'work'
  const reply = app.request('/run', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ task_id: `test-${n}`, input: mode }),
    signal: caller.signal,
  })
  if (hangsUp) setTimeout(() => caller.abort(), 20)
  const { status } = (await (await reply).json()) as { status: string }
  if (status !== (hangsUp ? 'error' : 'success')) throw new Error(`run ${n} (${mode}) ended ${status}`)
}

async function series(from: number, to: number): Promise<void> {
  let next = from
  const worker = async () => {
    while (next < to) await run(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** Heap in use after collection, and what keeps the process alive apart from connections kept for the next run. */
async function settled() {
  for (let turns = 0; turns < 5; turns += 1) {
    await new Promise(resolve => setTimeout(resolve, 50))
    global.gc?.()
  }
  const resources = process.getActiveResourcesInfo().filter(name => name !== 'Timeout')
  return { heapBytes: process.memoryUsage().heapUsed, resources: resources.length }
}

await series(0, warmUp)
const before = await settled()
await series(warmUp, warmUp + runs)
const after = await settled()
process.stdout.write(`${JSON.stringify({ before, after })}\n`)
process.exit(0)
