import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

// EVIDENCE-OF docs/guides/workshop.md: where it has `#`, `?` or `%`, vitest loads no tests:
//   `npm test` needs another folder then.
test.each([
  ['a', false],
  ['a#', true],
  ['a?', true],
  ['a%', true],
])('in the folder %s, it says that vitest loads no tests there: %s', (name, isSaid) => {
  const folder = mkdtempSync(join(tmpdir(), 'create-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(import.meta.dirname, '../create.ts'), join(folder, 'create.ts'))
  const template = join(folder, 'templates/full')
  mkdirSync(template, { recursive: true })
  writeFileSync(join(template, 'README.md'), '# my-agent\n\nAn agent.\n')
  writeFileSync(join(template, 'package.json'), '{"dependencies": {}}')
  const args = [join(folder, 'create.ts'), join(folder, name), '--name', 'ours']
  const said = execFileSync(process.execPath, args, { encoding: 'utf8' })
  expect(said.includes('vitest loads no tests')).toBe(isSaid)
})
