/** A thread that polls `/health` every 50 ms until it is told to stop, then reports how long each answer took. */
import { parentPort, workerData } from 'node:worker_threads'
import { call } from '../client.ts'

const EVERY_MS = 50
let isOver = false
parentPort?.once('message', () => {
  isOver = true
})
const times: number[] = []
while (!isOver) {
  times.push((await call(workerData.port, 'GET', '/health', undefined, 'own')).ms)
  if (times.length === 1) parentPort?.postMessage('polling')
  await new Promise(resolve => setTimeout(resolve, EVERY_MS))
}
parentPort?.postMessage(times)
