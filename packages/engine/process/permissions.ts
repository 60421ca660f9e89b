import { writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { createMask } from '@agent-task-service/masking'
import type { Config } from '../config.ts'
import type { AgentDefinition } from '../definition.ts'
import { createLog } from '../log/log.ts'

/**
 * Whether Node's permission model is on. The image starts the process with `--permission`: it may read its own folder
 * and nothing else. Child processes are allowed at first, since a restart counts as one; see `settlePermissions`.
 */
const isRestricted = () => process.permission !== undefined && process.execArgv.includes('--permission')

/** Allows reading the file at `path`, wherever it is, by restarting with another flag. Does nothing without a path. */
export function allowReading(path: string | undefined): void {
  if (!isRestricted() || !path?.trim()) return
  const flag = `--allow-fs-read=${resolve(path.trim())}`
  if (process.permission.has('fs.read', resolve(path.trim())) || process.execArgv.includes(flag)) return
  startAnew([...process.execArgv, flag])
}

/** Forbids child processes for good. If an MCP server is a program, lifts all restrictions: its needs are unknown. */
export function settlePermissions(config: Config, prepare: AgentDefinition['prepare']): void {
  if (!isRestricted()) return
  if (!config.mcpServers.some(({ transport }) => transport === 'stdio')) {
    prepare?.()
    const { drop } = process.permission as NodeJS.ProcessPermission & { drop(scope: string): void }
    drop('child')
    return
  }
  const sink = { write: (line: string) => void writeSync(1, line) }
  createLog(config, createMask(config.secrets), sink).warn(
    "MCP servers are programs: Node's permission model is off",
  )
  startAnew(process.execArgv.filter(flag => !/^--(?:permission|allow-)/.test(flag)))
}

/** Replaces this process with the same program under other flags, keeping the process id. */
function startAnew(flags: readonly string[]): never {
  return process.execve!(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)])
}
