/**
 * Packs packages anew under a later version, as a release of them would be: `node test/created/later-version.ts FROM TO`, two folders of
 * tarballs.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [from = '', to = ''] = process.argv.slice(2)
const [major, minor] = JSON.parse(readFileSync('package.json', 'utf8')).version.split('.')
export const LATER = `${major}.${Number(minor) + 1}.0`

mkdirSync(to, { recursive: true })
for (const tarball of globSync(`${from}/*.tgz`)) {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'))
  execFileSync('tar', ['-xzf', tarball, '-C', folder])
  const path = join(folder, 'package/package.json')
  const { dependencies = {}, ...manifest } = JSON.parse(readFileSync(path, 'utf8'))
  for (const name of Object.keys(dependencies))
    if (name.startsWith('@agent-task-service/')) dependencies[name] = LATER
  writeFileSync(path, JSON.stringify({ ...manifest, version: LATER, dependencies }))
  execFileSync('npm', ['pack', '--silent', '--pack-destination', to, join(folder, 'package')])
  rmSync(folder, { recursive: true })
}
