import { createWriteStream, mkdirSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Redact } from '../redact.ts'

export interface LogSource {
  /** For reports: `the file agent.log`. */
  readonly name: string
  /** Everything so far. Rejects with the reason if it cannot be read. */
  read(): Promise<string>
}

/** Longest log kept, in characters; the oldest part is dropped first. */
const MAX_LENGTH = 64 * 2 ** 20

/** Reads the agent's log file from its current end, or from the start if it does not exist yet. */
export function logFile(path: string): LogSource {
  const start = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const read = async () => {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    // A smaller file is a new one with the old name.
    const position = size < start ? 0 : start
    const length = Math.min(size - position, MAX_LENGTH)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position })
    return readable(buffer.toString('utf8', 0, bytesRead))
  }
  return { name: `the file ${path}`, read }
}

/** A log from streams, such as the output of a process; more may come. */
export function logStream(name: string, ...streams: readonly Readable[]) {
  let text = ''
  const add = (stream: Readable) => {
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      text = (text + readable(chunk)).slice(-MAX_LENGTH)
    })
  }
  streams.forEach(add)
  return { name, read: async () => text, add } satisfies LogSource & Record<'add', unknown>
}

/** Appends the redacted lines of streams to a file. */
export function copyLog(path: string, redact: Redact['text'], ...streams: readonly Readable[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const copy = createWriteStream(path, { flags: 'a' })
  // The copy is a convenience: a full disk must not end the process.
  copy.on('error', () => {})
  for (const input of streams) {
    createInterface({ input }).on('line', line => copy.write(`${redact(readable(line))}\n`))
  }
}

/** What is in UTF-16 has a NUL beside each letter of ASCII, if it is read as UTF-8. */
function readable(text: string): string {
  return text.replaceAll('\0', '')
}
