import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { manifestOf } from './modules/rules.ts'

const CORE = '@langchain/core'
const ENGINE = '@agent-task-service/engine'

/** Tells if the agent in the current folder and what it depends on import more than one copy of LangChain's core. */
export function tellCoreCopies(): void {
  const project = resolve('.')
  if (!existsSync('package.json')) return
  const names = Object.keys(readManifest(project).dependencies ?? {})
  const importers = [project, ...names.map(name => imported(name, project))]
  const copies = new Set(importers.map(folder => imported(CORE, folder)).filter(copy => copy !== undefined))
  if (copies.size < 2) return
  const [one, other] = [...copies].map(copy => `${readManifest(copy).version} in ${relative(project, copy)}`)
  const needed = readManifest(imported(ENGINE, project) ?? project).dependencies?.[CORE]
  process.stderr.write(
    `${copies.size} copies of ${CORE}, whose types and objects do not fit each other's: ${one} and ${other}. ` +
      `In package.json set "${CORE}": "${needed}" in "dependencies" and "${CORE}": "$${CORE}" in "overrides", then npm install\n`,
  )
}

/** Where a package is that one in this folder imports. */
function imported(name: string, by: string | undefined): string | undefined {
  const manifest = by && manifestOf(name, join(by, 'package.json'))
  return manifest && realpathSync(dirname(manifest))
}

function readManifest(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
