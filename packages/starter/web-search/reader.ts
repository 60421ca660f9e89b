import { addAbortListener } from 'node:events'
import { withTimeLimit } from '@agent-task-service/engine/time-limit'
import { PageError } from './outside.ts'
import type { Job } from './reader-main.ts'
import { ENDED, type ReaderShell, readerShell, readerState } from './reader-process.ts'

/** An idle reader ends after this time and frees its memory. */
const IDLE_MS = 60_000
/** A job's own bounds keep it far below this; one that exceeds it has run away, and ends with its reader. */
const JOB_LIMIT_MS = 2_000
/** Code may use as much processor time as half of that, which takes longer on a busy machine. */
const CODE_LIMIT_MS = 4_000
/** For loading its code. A busy machine may take long; searches wait only as long as they may anyway. */
const START_LIMIT_MS = 20_000
/** After a reader could not start, no other is tried for this time. */
const RETRY_MS = 30_000
/** After this many pages of a run ran away, it reads no more. */
const MAX_RUNAWAYS = 2

interface Account {
  /** How long the reader has worked for the run, in milliseconds. */
  usedMs: number
  runaways: number
}

interface Turn {
  readonly run: object
  readonly account: Account
  readonly job: Job
  readonly signal: AbortSignal
  readonly done: PromiseWithResolvers<unknown>
}

const accounts = new WeakMap<object, Account>()
const waiting: Turn[] = []
let current: Turn | undefined
let idle: NodeJS.Timeout | undefined
let reader: ReaderShell | undefined
/** When the last reader failed to start, by `performance.now()`. */
let failedAt: number | undefined

function accountOf(run: object): Account {
  const account = accounts.get(run) ?? { usedMs: 0, runaways: 0 }
  accounts.set(run, account)
  return account
}

/** @throws {PageError} if pages of the run have run away */
export function expectTame(run: object): void {
  if (accountOf(run).runaways >= MAX_RUNAWAYS)
    throw new PageError('is not read, since other pages took too much time or memory')
}

/**
 * Has the reader do a job: in a process of its own, so that no page can block the event loop or take the memory of the
 * service. It does one job at a time; the run that has used it least goes first.
 *
 * @param run any object that stands for the run
 * @throws {Error} if the job fails, runs away, or is no longer wanted
 */
export async function inReader(run: object, signal: AbortSignal, job: Job): Promise<unknown> {
  signal.throwIfAborted()
  const turn = { run, account: accountOf(run), job, signal, done: Promise.withResolvers<unknown>() }
  using _givingUp = addAbortListener(signal, () => turn.done.reject(new Error('no longer wanted')))
  waiting.push(turn)
  if (!current) void work()
  return await turn.done.promise
}

/** Starts the reader and loads its code, while the caller waits for something else. */
export function warmUpReader(): void {
  const job: Job = { name: 'choose', args: ['', [], '', 100] }
  inReader({}, AbortSignal.timeout(START_LIMIT_MS), job).catch(() => {})
}

async function work(): Promise<void> {
  clearTimeout(idle)
  for (let turn = nextTurn(); turn; turn = nextTurn()) {
    current = turn
    await take(turn).then(turn.done.resolve, turn.done.reject)
  }
  current = undefined
  idle = setTimeout(() => reader?.end(), IDLE_MS)
  idle.unref()
}

/** The next job of the run that has used the reader least; among equals, the first. */
function nextTurn(): Turn | undefined {
  const [first] = waiting.toSorted((one, other) => one.account.usedMs - other.account.usedMs)
  if (first) waiting.splice(waiting.indexOf(first), 1)
  return first
}

async function take({ run, account, job, signal }: Turn): Promise<unknown> {
  signal.throwIfAborted()
  if (job.name === 'readPage') expectTame(run)
  const own = await startedReader()
  if (job.name === 'choose' || job.name === 'runCode')
    await within(START_LIMIT_MS, own, own.ask({ name: 'load', args: [job.name] }))
  const startedAt = performance.now()
  try {
    return await within(job.name === 'runCode' ? CODE_LIMIT_MS : JOB_LIMIT_MS, own, own.ask(job))
  } finally {
    account.usedMs += performance.now() - startedAt
    if (!own.isRunning && job.name === 'readPage') account.runaways += 1
  }
}

async function startedReader(): Promise<ReaderShell> {
  if (failedAt !== undefined && performance.now() - failedAt < RETRY_MS)
    throw new Error('no reader could be started')
  try {
    const own = readerShell()
    reader = own
    if (!own.isRunning) await within(START_LIMIT_MS, own, start(own))
    if (failedAt !== undefined) readerState.emit('change', undefined)
    failedAt = undefined
    return own
  } catch (error) {
    if (failedAt === undefined) readerState.emit('change', (error as Error).message)
    failedAt = performance.now()
    throw error
  }
}

/** A start may fail where the next one succeeds, as on a machine that has no memory to spare for a moment. */
async function start(own: ReaderShell): Promise<void> {
  const begunAt = performance.now()
  try {
    await own.start()
  } catch (error) {
    const hasHung = performance.now() - begunAt >= START_LIMIT_MS
    if (hasHung) throw error
    await own.start()
  }
}

/** Ends the reader when `work` takes longer. */
async function within<T>(limitMs: number, own: ReaderShell, work: Promise<T>): Promise<T> {
  const tooLong = () => {
    own.end()
    return new Error(ENDED)
  }
  return await withTimeLimit(undefined, limitMs, () => work, tooLong)
}
