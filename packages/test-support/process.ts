import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export type LogLine = Record<string, unknown>

export interface TestProcess {
  readonly child: ChildProcess
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Lines of standard output so far. */
  readonly output: readonly string[]
  /** Standard error so far. */
  readonly errors: () => string
  /** The first matching log line, past or future. */
  line(fits: (line: LogLine) => boolean): Promise<LogLine>
  post(body: unknown, init?: RequestInit): Promise<Response>
  /** Resolves with the exit code or the name of the signal. */
  readonly exited: Promise<number | string>
}

/** The program of the command `agent`. */
export const AGENT = fileURLToPath(new URL('../cli/agent.js', import.meta.url))

/** The Node arguments of the image as it ships; an owner may give it others. */
export const IMAGE_FLAGS = [
  '--permission',
  '--allow-fs-read=/app',
  '--allow-child-process',
  '--disable-warning=PERM0002',
] as const

/** The bundled service, on any free port. The real path, since the `node_modules` of a copy may be a link. */
export const PROCESS_ENTRY = join(
  realpathSync(fileURLToPath(new URL('../../node_modules', import.meta.url))),
  '.cache/process/process-entry.js',
)

/**
 * Starts the bundled service as a process on any free port; it ends with the test. `env` is its whole environment.
 *
 * @param descriptors that it may have open; absent: as many as this process
 */
export async function startProcess(
  env: Record<string, string> = {},
  nodeArgs: readonly string[] = [],
  entry = PROCESS_ENTRY,
  descriptors?: number,
): Promise<TestProcess> {
  const started = spawnProcess(env, nodeArgs, entry, descriptors)
  const first = await Promise.race([started.line(({ msg }) => msg === 'listening'), started.exited])
  if (typeof first !== 'object') throw new Error(`the process ended at start (${first}): ${started.errors()}`)
  const url = `http://127.0.0.1:${first.port}`
  const post: TestProcess['post'] = (body, init = {}) =>
    fetch(`${url}/run`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
    })
  return { ...started, url, post }
}

/** Like `startProcess`, but does not wait for it to listen: for processes that exit at start. */
export function spawnProcess(
  env: Record<string, string>,
  nodeArgs: readonly string[] = [],
  entry = PROCESS_ENTRY,
  descriptors?: number,
): Omit<TestProcess, 'url' | 'post'> {
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors} && `
  const command = [`${limit}exec "$@"`, 'sh', process.execPath, ...nodeArgs, entry]
  const child = spawn('/bin/sh', ['-c', ...command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output: string[] = []
  const watchers = new Set<() => void>()
  createInterface({ input: child.stdout }).on('line', line => {
    output.push(line)
    for (const watcher of watchers) watcher()
  })
  let errors = ''
  child.stderr.on('data', chunk => {
    errors += String(chunk)
  })
  const line: TestProcess['line'] = fits =>
    new Promise(resolve => {
      const watch = () => {
        const found = output.map(parse).find(fits)
        if (found === undefined) return
        watchers.delete(watch)
        resolve(found)
      }
      watchers.add(watch)
      watch()
    })
  const exited = once(child, 'close').then(([code, signal]) => code ?? signal)
  return { child, output, errors: () => errors, line, exited }
}

function parse(line: string): LogLine {
  return JSON.parse(line) as LogLine
}
