import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AgentDefinition } from '@agent-task-service/engine'
import { StartError } from '@agent-task-service/rehearsal/command-line'
import { manifestOf } from './modules/rules.ts'

/** What the owner of an agent writes, in the current folder. */
const DEFINITION = 'src/agent.ts'
const CORE = '@langchain/core'
const ENGINE = '@agent-task-service/engine'

/**
 * Where the agent in the current folder is defined. Tells of what is installed beside it in two copies.
 *
 * @throws {StartError} if there is none
 */
export function expectAgent(): string {
  const path = resolve(DEFINITION)
  if (!existsSync(path))
    throw new StartError(`expected an agent in this folder, in ${DEFINITION}, got no such file: ${path}`)
  tellCoreCopies()
  return path
}

/**
 * The agent in the current folder.
 *
 * @throws {StartError} if there is none
 */
export async function ownAgent(): Promise<AgentDefinition> {
  const path = expectAgent()
  await import('./modules/node.ts')
  const { agent } = await import(pathToFileURL(path).href)
  if (typeof agent?.graph !== 'function')
    throw new StartError(`${DEFINITION}: expected it to export agent = defineAgent({ … }), got none`)
  return agent
}

/** Tells if the agent in the current folder and what it depends on import more than one copy of LangChain's core. */
function tellCoreCopies(): void {
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
