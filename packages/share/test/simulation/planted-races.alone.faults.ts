import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isAtLength } from '@agent-task-service/test-support/at-length'
import { expect, test } from 'vitest'
import { plants } from './plants.ts'

/** Schedules in which to look for each. */
const COUNT = 4_000

test.runIf(isAtLength)('the simulation finds each race that is planted', async () => {
  const program = fileURLToPath(new URL('./main.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    '--plants',
    '--count',
    String(COUNT),
  ])
  process.stdout.write(stdout)
  const found = stdout.split('\n').filter(line => line.startsWith('found by seed'))
  expect(found).toHaveLength(Object.keys(plants).length)
})
