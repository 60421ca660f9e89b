import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listeningAgent } from './checked-agent.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rehearsal-'))
  await promisify(execFile)(process.execPath, ['scripts/build-rehearsal.ts', folder])
})
afterAll(async () => await rm(folder, { recursive: true }))

/** The program in a folder without packages. */
function checks(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise(resolve => {
    const child = execFile(
      process.execPath,
      ['agent-rehearsal.mjs', ...args],
      { cwd: folder },
      (_error, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
}

test('the built checks examine an agent by its URL, without node_modules', async () => {
  const { url } = await listeningAgent()
  const { code, out, err } = await checks(url, '--only', 'health,result,input')
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('\nPASSED: everything mandatory holds\n')
  expect(await readdir(folder)).toEqual([
    'THIRD-PARTY-NOTICES.txt',
    'agent-rehearsal.mjs',
    'erroneous-requests.yaml',
    'sentences.yaml',
    'tasks.yaml',
  ])
})

test('the built checks name themselves, and what they need without a project', async () => {
  expect((await checks('--help')).out).toMatch(/^node agent-rehearsal\.mjs \[URL\] /)
  const { code, err } = await checks()
  expect(code).toBe(64)
  expect(err).toContain('expected the URL of an agent, or --start COMMAND, since there is no ')
})

test('the tasks that ship have patterns that Node 22 can read', async () => {
  expect(await readFile(join(folder, 'tasks.yaml'), 'utf8')).not.toMatch(/\(\?[ims-]+:/)
})
