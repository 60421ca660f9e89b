import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { AGENT } from '@agent-task-service/test-support/process'
import { expect, test } from 'vitest'

test('a command that does not exist: says what was expected, and exits with code 64', async () => {
  const { code, stderr } = await promisify(execFile)(process.execPath, [AGENT, 'serve']).catch(
    failed => failed,
  )
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('got "serve"') })
})
