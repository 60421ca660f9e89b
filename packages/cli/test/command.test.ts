import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AGENT } from '@agent-task-service/test-support/process'
import { expect, onTestFinished, test } from 'vitest'

test('a command that does not exist: says what was expected, and exits with code 64', async () => {
  const { code, stderr } = await promisify(execFile)(process.execPath, [AGENT, 'serve']).catch(
    failed => failed,
  )
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('got "serve"') })
})

test('image-arguments without git: the time is in whole seconds, as others read SOURCE_DATE_EPOCH', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'no-git-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src/agent.ts'), '')
  writeFileSync(join(folder, 'package.json'), '{"version": "1.0.0"}')
  const options = { cwd: folder, env: { PATH: '' } }
  const { stdout } = await promisify(execFile)(process.execPath, [AGENT, 'image-arguments'], options)
  expect(stdout).toMatch(/ SOURCE_DATE_EPOCH=\d+ /)
})
