import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'

const CORE = '@langchain/core'
const ENGINE = '@agent-task-service/engine'

/** Tells if the agent in the current folder and what it depends on import more than one copy of LangChain's core. */
export function tellCoreCopies(): void {
  const project = resolve('.')
  if (!existsSync('package.json')) return
  const names = Object.keys(manifestOf(project).dependencies ?? {})
  const importers = [project, ...names.map(name => imported(name, project))]
  const copies = new Set(importers.map(folder => imported(CORE, folder)).filter(copy => copy !== undefined))
  if (copies.size < 2) return
  const [one, other] = [...copies].map(copy => `${manifestOf(copy).version} in ${relative(project, copy)}`)
  const needed = manifestOf(imported(ENGINE, project) ?? project).dependencies?.[CORE]
  process.stderr.write(
    `${copies.size} copies of ${CORE}, whose types and objects do not fit each other's: ${one} and ${other}. ` +
      `In package.json set "${CORE}": "${needed}" in "dependencies" and "${CORE}": "$${CORE}" in "overrides", then npm install\n`,
  )
}

/** Where a package is that one in this folder imports. */
function imported(name: string, by: string | undefined): string | undefined {
  if (by === undefined) return undefined
  const places = createRequire(join(by, 'package.json')).resolve.paths(name) ?? []
  const found = places.map(place => join(place, name)).find(path => existsSync(path))
  return found && realpathSync(found)
}

function manifestOf(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
