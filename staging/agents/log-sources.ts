import { open, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { LogSource } from '../checks/options.ts'

/** Most of a log that is kept, in characters: its beginning would go first. */
const MAX_LENGTH = 64 * 2 ** 20

/** A file that the agent writes its log to, from its present end on; one that is not there yet, from its beginning. */
export async function logFile(path: string): Promise<LogSource> {
  const start = await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
  const read = async () => {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    // A smaller file is a fresh one under the old name.
    const position = size < start ? 0 : start
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.min(size - position, MAX_LENGTH)),
      position,
    })
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
