import { once } from 'node:events'
import { appendFile, writeFile } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { logFile, logStream } from '@agent-task-service/rehearsal/agents'
import { fakeKey, searcher } from '@agent-task-service/rehearsal/secrets'
import { describe, expect, test } from 'vitest'
import { newFile } from '../new-file.ts'

describe('a log', () => {
  test('from a file: its new content, even after truncation', async () => {
    const path = await newFile('agent.log')
    await expect(logFile(path).read()).rejects.toThrow('ENOENT')
    await writeFile(path, 'from yesterday\n')
    const log = logFile(path)
    expect(log.name).toBe(`the file ${path}`)
    expect(await log.read()).toBe('')
    await appendFile(path, 'first é\n')
    await appendFile(path, 'second\n')
    expect(await log.read()).toBe('first é\nsecond\n')
    await writeFile(path, 'fresh\n')
    expect(await log.read()).toBe('fresh\n')
  })

  // EVIDENCE-OF docs/reference/acceptance-checks.md: In UTF-16, what is ASCII is read.
  test.each([
    ['', (bytes: Buffer) => bytes],
    [', big endian', (bytes: Buffer) => bytes.swap16()],
  ])('in UTF-16%s, in a file and in pieces: with the secrets that it holds', async (_order, ordered) => {
    const secret = fakeKey()
    const bytes = ordered(Buffer.from(`\ufefffirst\nkey é ${secret}\n`, 'utf16le'))
    const path = await newFile('agent.log')
    const file = logFile(path)
    await writeFile(path, bytes)
    const pipe = new PassThrough()
    const stream = logStream('the pipe', pipe)
    for (const byte of bytes) pipe.write(Buffer.of(byte))
    pipe.end()
    await once(pipe, 'end')
    for (const text of [await file.read(), await stream.read()]) {
      expect(searcher(text)(secret)).toBeDefined()
      expect(text).toContain('first\nkey ')
    }
  })

  test('from streams, characters never cut in half', async () => {
    const [one, other] = [new PassThrough(), new PassThrough()]
    const log = logStream('the pipe', one, other)
    const bytes = Buffer.from('aé')
    one.write(bytes.subarray(0, 2))
    other.write('b')
    one.write(bytes.subarray(2))
    one.end()
    await once(one, 'end')
    expect([...(await log.read())].sort()).toEqual(['a', 'b', 'é'])
  })
})
