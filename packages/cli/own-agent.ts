import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AgentDefinition } from '@agent-task-service/engine'
import { StartError } from '@agent-task-service/rehearsal/command-line'
import { tellCoreCopies } from './core-copies.ts'

/** What the owner of an agent writes, in the current folder. */
const DEFINITION = 'src/agent.ts'

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
