import type { ChildProcess } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { LogSource } from './checks/run-checks.ts'

/** Most lines that are kept. */
const MAX_LINES = 50_000

/** The log of a process as it wrote it, in memory; and without secrets in a file. */
export class LogCapture {
  /** For the acceptance checks, which look for secrets: every line as it was written. */
  readonly source: LogSource
  readonly #lines: string[] = []
  readonly #watchers = new Set<(line: string) => void>()
  readonly #redact: (text: string) => string

  constructor(child: ChildProcess, file: string, redact: (text: string) => string) {
    this.#redact = redact
    this.source = {
      name: 'the output of the agent, which the platform started',
      read: async () => this.#lines.join('\n'),
    }
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const copy = createWriteStream(file)
    // The copy is a convenience: a full disk must not end the platform.
    copy.on('error', () => {})
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream! }).on('line', line => {
        this.#lines.push(line)
        if (this.#lines.length > MAX_LINES) this.#lines.splice(0, MAX_LINES / 10)
        copy.write(`${redact(line)}\n`)
        for (const watch of this.#watchers) watch(line)
      })
    }
    child.once('close', () => copy.end())
  }

  /** The port of the log line `listening`. Rejects when the signal aborts first. */
  async listening(signal: AbortSignal): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const watch = (line: string) => {
      const port = portIn(line)
      if (port !== undefined) resolve(port)
    }
    const late = () => reject(new Error('the agent did not say in time that it listens'))
    this.#watchers.add(watch)
    signal.addEventListener('abort', late, { once: true })
    try {
      for (const line of this.#lines) watch(line)
      return await promise
    } finally {
      this.#watchers.delete(watch)
      signal.removeEventListener('abort', late)
    }
  }

  /** The last lines, without secrets. */
  lastWords(): string {
    return this.#redact(this.#lines.slice(-5).join('\n')) || 'it wrote nothing'
  }
}

function portIn(line: string): number | undefined {
  try {
    const { msg, port } = JSON.parse(line) as { msg?: unknown; port?: unknown }
    return msg === 'listening' && typeof port === 'number' ? port : undefined
  } catch {
    return undefined
  }
}
