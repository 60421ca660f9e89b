import { createWriteStream, existsSync, mkdirSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Redact } from '../redact.ts'

export interface LogSource {
  /** For reports: `the file agent.log`. */
  readonly name: string
  /** All there is so far. Rejects with an error that says why it cannot be read. */
  read(): Promise<string>
}

/** Most of a log that is kept, in characters: its beginning would go first. */
const MAX_LENGTH = 64 * 2 ** 20

/** A file that the agent writes its log to, from its present end on; one that is not there yet, from its beginning. */
export function logFile(path: string): LogSource {
  const start = existsSync(path) ? statSync(path).size : 0
  const read = async () => {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    // A smaller file is a fresh one under the old name.
    const position = size < start ? 0 : start
    const length = Math.min(size - position, MAX_LENGTH)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position })
    return buffer.toString('utf8', 0, bytesRead)
  }
  return { name: `the file ${path}`, read }
}

/** What comes through streams, such as the output of a process. */
export function logStream(name: string, ...streams: readonly Readable[]): LogSource {
  let text = ''
  for (const stream of streams) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      text = (text + chunk).slice(-MAX_LENGTH)
    })
  }
  return { name, read: async () => text }
}

/** Writes the lines of streams to a file, begun afresh, each as `redact` leaves it. */
export function copyLog(path: string, redact: Redact['text'], ...streams: readonly Readable[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const copy = createWriteStream(path)
  // The copy is a convenience: a full disk must not end the process.
  copy.on('error', () => {})
  for (const input of streams) {
    createInterface({ input }).on('line', line => copy.write(`${redact(line)}\n`))
  }
}
