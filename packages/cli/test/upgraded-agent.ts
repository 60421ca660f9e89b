import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { AGENT } from '@agent-task-service/test-support/process'
import { onTestFinished } from 'vitest'

export const SCOPE = '@agent-task-service/'
const CHANGELOG = `# Changelog

## [Unreleased]

## [0.3.0] - 2027-01-02

### Removed

- The tool \`abacus\`.

### Added

- One.
- Two.

## [0.2.0] - 2026-11-26

### Removed

- What was gone before.
`
/** Installs what package.json names from packages/, as far as an upgrade reads it. `npm_fails` is run in place of that. */
const NPM = `#!/bin/sh
if [ -n "$npm_fails" ]; then eval "$npm_fails"; fi
grep -o '"@agent-task-service/[a-z]*": "file:[^"]*' package.json | sed 's/"//g; s/: file:/ /' | while read -r name file; do
  rm -rf "node_modules/$name" && mkdir -p "node_modules/$name" && tar -xzf "$file" -C "node_modules/$name" --strip-components 1
done
`

type Versions = Record<string, string>

export function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** A folder of packed packages: for each its dependencies. */
export function pack(
  version: string,
  packages: Readonly<Record<string, Versions>>,
  folder = newFolder(),
): string {
  for (const [name, dependencies] of Object.entries(packages)) {
    const unpacked = newFolder()
    write(
      join(unpacked, 'package/package.json'),
      JSON.stringify({ name: SCOPE + name, version, dependencies }),
    )
    write(join(unpacked, 'package/CHANGELOG.md'), CHANGELOG)
    const file = join(folder, `agent-task-service-${name}-${version}.tgz`)
    execFileSync('tar', ['-czf', file, '-C', unpacked, 'package'])
  }
  return folder
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-upgrade-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** An agent of 0.2.0 with what each test adds to its package.json. */
export function newAgent(manifest: object = {}): string {
  const agent = newFolder()
  const needs = { zod: '4.6.0', parser: '4.0.0' }
  mkdirSync(join(agent, 'packages'))
  pack('0.2.0', { engine: needs }, join(agent, 'packages'))
  const installed = JSON.stringify({ version: '0.2.0', dependencies: needs })
  write(join(agent, `node_modules/${SCOPE}engine/package.json`), installed)
  const dependencies = { [`${SCOPE}engine`]: 'file:packages/agent-task-service-engine-0.2.0.tgz' }
  write(join(agent, 'package.json'), JSON.stringify({ name: 'a', dependencies, ...manifest }, null, '\t'))
  write(join(agent, 'bin/npm'), NPM)
  chmodSync(join(agent, 'bin/npm'), 0o755)
  return agent
}

const pathOf = (agent: string) => `${agent}/bin:${process.env.PATH}`

export async function upgrade(agent: string, folder: string, env = {}) {
  // In a process group of its own, as from a terminal.
  const child = spawn(process.execPath, [AGENT, 'upgrade', folder], {
    cwd: agent,
    env: { PATH: pathOf(agent), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const exited = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: (await exited)[0] as number | null, stdout, stderr }
}

export const manifestOf = (agent: string) => JSON.parse(readFileSync(join(agent, 'package.json'), 'utf8'))

/** All that an agent has, but for what npm installs: a file's content, a link's target. */
export function filesOf(agent: string): Record<string, string> {
  const entries = readdirSync(agent, { recursive: true, withFileTypes: true })
  const found = entries.map(entry => {
    const path = join(entry.parentPath, entry.name)
    const content = entry.isFile()
      ? readFileSync(path, 'base64')
      : entry.isSymbolicLink() && readlinkSync(path)
    return [relative(agent, path), String(content)] as const
  })
  return Object.fromEntries(found.filter(([path]) => !path.startsWith('node_modules')).sort())
}
