import type { ChildProcess } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { LogSource } from '../checks/run-checks.ts'
import { logStream } from './log-sources.ts'

const LAST_WORDS_LENGTH = 1_000

export interface LogCapture {
  /** For the acceptance checks, which look for secrets: all as it was written, in memory. */
  readonly source: LogSource
  /** The port of the first log line `listening`. */
  readonly listening: Promise<number>
  /** The end of the log, without secrets. */
  lastWords(): Promise<string>
}

/**
 * Reads the log of a process.
 *
 * @param file gets a copy for the author to read, without secrets; begun afresh
 */
export function captureLog(child: ChildProcess, file: string, redact: (text: string) => string): LogCapture {
  const streams = [child.stdout!, child.stderr!]
  const source = logStream('the output of the agent, which the platform started', ...streams)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const copy = createWriteStream(file)
  // The copy is a convenience: a full disk must not end the platform.
  copy.on('error', () => {})
  const { promise: listening, resolve } = Promise.withResolvers<number>()
  for (const input of streams) {
    createInterface({ input }).on('line', line => {
      copy.write(`${redact(line)}\n`)
      const port = portIn(line)
      if (port !== undefined) resolve(port)
    })
  }
  child.once('close', () => copy.end())
  const lastWords = async () => {
    const text = redact((await source.read()).trim()).slice(-LAST_WORDS_LENGTH)
    return text === '' ? 'nothing' : text
  }
  return { source, listening, lastWords }
}

function portIn(line: string): number | undefined {
  try {
    const { msg, port } = JSON.parse(line) as { msg?: unknown; port?: unknown }
    return msg === 'listening' && typeof port === 'number' ? port : undefined
  } catch {
    return undefined
  }
}
