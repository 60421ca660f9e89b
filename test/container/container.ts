import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { config, image } from './image.ts'

const ORIGIN = 'http://127.0.0.1:8080'

export interface Entered {
  /** Process 1 of the container, by its id on this machine. */
  readonly pid: number
  /** Lines on standard output and standard error so far. */
  readonly lines: readonly string[]
  /** Resolves with its exit code; 128 and more: the signal that killed it. */
  readonly exited: Promise<number>
}

/** Runs a command in the image as process 1, the way the image specifies; it is killed with the test. */
export async function enter(command: readonly string[], env: Record<string, string> = {}): Promise<Entered> {
  const [uid = '', gid = uid] = config.User.split(':')
  const namespaces = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child']
  const script = join(import.meta.dirname, 'enter.sh')
  const args = [...namespaces, script, image, uid, gid, config.WorkingDir, ...command]
  const imageEnv = Object.fromEntries(config.Env.map(entry => entry.split(/=(.*)/s).slice(0, 2)))
  const child = spawn('/usr/bin/unshare', args, {
    env: { ...imageEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let pid = child.pid!
  const lines: string[] = []
  const exited = once(child, 'close').then(([code, signal]) => code ?? `ended by ${signal}`)
  // The kernel forgets --kill-child once process 1 changes its user: to kill unshare alone would leave it behind.
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, 'SIGKILL')
    await exited
  })
  const output = createInterface({ input: child.stdout })
  const entered = once(output, 'line').then(() => true)
  output.on('line', line => lines.push(line))
  createInterface({ input: child.stderr }).on('line', line => lines.push(line))
  if ((await Promise.race([entered, exited])) !== true) throw new Error(lines.join('\n'))
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  pid = Number(children)
  return { pid, lines, exited }
}

export interface Served extends Entered {
  /** From the start of the process to the first `/health` 200, in milliseconds. */
  readonly startMs: number
}

/** Runs a server in the image, and waits until `GET /health` returns 200. */
export async function serve(command: readonly string[], env: Record<string, string> = {}): Promise<Served> {
  const entered = await enter(command, env)
  const begun = performance.now()
  let ended: number | undefined
  void entered.exited.then(code => {
    ended = code
  })
  while ((await healthStatus()) !== 200) {
    if (ended !== undefined) throw new Error(`it ended at start (${ended}): ${entered.lines.join('\n')}`)
    // The only way to notice a port that begins to listen; nothing but the measurement depends on it.
    await delay(5)
  }
  return { ...entered, startMs: performance.now() - begun }
}

export const postTask = (input: string, id: string, config = {}) =>
  fetch(`${ORIGIN}/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ task_id: id, input, config }),
  })

/** The status of `GET /health` on a new connection; `undefined`: no answer. */
export function healthStatus(): Promise<number | undefined> {
  return new Promise(resolve => {
    const request = get(`${ORIGIN}/health`, { agent: false }, response => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    request.on('error', () => resolve(undefined))
  })
}

/** Resident memory of a process, in megabytes. */
export async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}
