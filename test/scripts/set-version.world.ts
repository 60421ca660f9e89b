import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const MANIFESTS = '{package,package-lock,packages/*/package}.json'
const SCRIPT = resolve('scripts/set-version.ts')

function copyOfManifests(): string {
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const path of globSync(MANIFESTS)) cpSync(path, join(folder, path))
  return folder
}

test('a version is set wherever the project and its packages name it, and nothing else changes', () => {
  const folder = copyOfManifests()
  const { version } = JSON.parse(readFileSync('packages/wire/package.json', 'utf8'))
  execFileSync(process.execPath, [SCRIPT, '98.7.6'], { cwd: folder })
  for (const path of globSync(MANIFESTS)) {
    const [before, after] = [path, join(folder, path)].map(file => readFileSync(file, 'utf8').split('\n'))
    const changed = before!.flatMap((line, at) => (line === after![at] ? [] : [[line, after![at]!]]))
    expect(changed.length, path).toBeGreaterThan(0)
    for (const [from, to] of changed) expect(to).toBe(from!.replace(`"${version}"`, '"98.7.6"'))
    const names = after!.filter(line => /"@agent-task-service\/[\w-]+": "/.test(line))
    expect(
      names.filter(line => !line.includes('"98.7.6"')),
      dirname(path),
    ).toEqual([])
  }
})

test('what is no version is refused', () => {
  const run = () =>
    execFileSync(process.execPath, [SCRIPT, 'minor'], { cwd: copyOfManifests(), stdio: 'pipe' })
  expect(run).toThrow('expected a version as 0.3.0, got "minor"')
})
