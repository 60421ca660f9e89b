import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Work } from './reader-thread.ts'

/** An idle thread ends after this time and frees its memory. */
const IDLE_MS = 60_000
/** A job's own bounds keep it far below this; one that exceeds it has run away, and its thread is ended. */
const JOB_LIMIT_MS = 2_000
/** Limit for a thread's first job, which includes loading its code. */
const START_LIMIT_MS = 8_000

let thread: Worker | undefined
let isStarted = false
let idle: NodeJS.Timeout | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a job in a worker thread, so that no page can block the event loop. Jobs run one at a time; the first starts the
 * thread.
 *
 * @throws {Error} if the job fails, runs away, or is no longer wanted
 */
export async function inThread<Name extends keyof Work>(
  signal: AbortSignal,
  name: Name,
  ...args: Parameters<Work[Name]>
): Promise<Awaited<ReturnType<Work[Name]>>> {
  const job = last.then(() => {
    signal.throwIfAborted()
    return run(name, args) as Promise<Awaited<ReturnType<Work[Name]>>>
  })
  last = job.catch(() => {})
  const { promise: given, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(new Error('no longer wanted'))
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([job, given])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** Starts the thread and loads its code, while the caller waits for something else. */
export function warmUp(): void {
  void inThread(AbortSignal.timeout(START_LIMIT_MS), 'choose', '', [], '', 100).catch(() => {})
}

async function run(name: keyof Work, args: readonly unknown[]): Promise<unknown> {
  clearTimeout(idle)
  const worker = thread ?? start()
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onMessage = ({ result, error }: { result?: unknown; error?: string }) =>
    error === undefined ? resolve(result) : reject(new Error(error))
  const onExit = () => reject(new Error('the thread ended'))
  const timer = setTimeout(
    () => {
      end(worker)
      reject(new Error('the job took too long'))
    },
    isStarted ? JOB_LIMIT_MS : START_LIMIT_MS,
  )
  worker.once('message', onMessage).once('exit', onExit)
  try {
    worker.postMessage({ name, args })
    const result = await promise
    isStarted = true
    return result
  } finally {
    clearTimeout(timer)
    worker.off('message', onMessage).off('exit', onExit)
    idle = setTimeout(() => end(worker), IDLE_MS)
    idle.unref()
  }
}

function start(): Worker {
  // Next to this file, both in the sources and in the bundle.
  const file = new URL(`./reader-thread${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(file, {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
  })
  worker.unref()
  // Its exit event reports the failure.
  worker.on('error', () => {})
  worker.once('exit', () => {
    if (thread === worker) thread = undefined
  })
  thread = worker
  isStarted = false
  return worker
}

function end(worker: Worker): void {
  if (thread === worker) thread = undefined
  void worker.terminate()
}
