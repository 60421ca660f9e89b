import { once } from 'node:events'
import { appendFile, writeFile } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { logFile, logStream } from '@agent-task-service/rehearsal/agents'
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
