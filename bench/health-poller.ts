/** A thread that polls `/health` every 50 ms until it gets a message, then reports how many milliseconds each answer took. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const EVERY_MS = 50

let isOver = false
void once(parentPort!, 'message').then(() => {
  isOver = true
})
const times: number[] = []
while (!isOver) {
  const startedAt = performance.now()
  await (await fetch(`${workerData.url}/health`, { headers: { connection: 'close' } })).text()
  times.push(performance.now() - startedAt)
  if (times.length === 1) parentPort!.postMessage('polling')
  await sleep(EVERY_MS)
}
parentPort!.postMessage(times)
