/** The worker thread that reads pages and chooses passages. A separate entry of the bundle, started by `reader.ts`. */
import { parentPort } from 'node:worker_threads'
import { choose } from './choose.ts'
import { readPage } from './read-page.ts'

const work = { readPage, choose }

/** The jobs the thread can do. */
export type Work = typeof work
export type Job = { [Name in keyof Work]: { name: Name; args: Parameters<Work[Name]> } }[keyof Work]

parentPort?.on('message', async ({ name, args }: Job) => {
  try {
    parentPort?.postMessage({ result: await (work[name] as (...args: unknown[]) => unknown)(...args) })
  } catch (error) {
    parentPort?.postMessage({ error: String(error) })
  }
})
