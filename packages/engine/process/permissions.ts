import { writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { createMask } from '@agent-task-service/wire/masking'
import type { Config } from '../config.ts'
import type { AgentDefinition } from '../definition.ts'
import { createLog } from '../log/log.ts'

/**
 * Whether Node's permission model is on. The image starts the process with `--permission`: it may read its own folder
 * and nothing else. Child processes are allowed at first, since a restart counts as one; see `settlePermissions`.
 */
const isRestricted = () => process.permission !== undefined && process.execArgv.includes('--permission')

/**
 * Allows the network, and reading the file at `path`, if any, wherever it is: restarts with the flags that are missing.
 */
export function addPermissions(path: string | undefined): void {
  if (!isRestricted()) return
  const missing = [...networkFlags(), ...readingFlags(path)].filter(flag => !process.execArgv.includes(flag))
  if (missing.length > 0) startAnew([...process.execArgv, ...missing])
}

/** Node 26 denies the network without a flag, which it calls experimental; Node 24 grants it, and refuses the flag. */
function networkFlags(): string[] {
  const isDenied = process.allowedNodeEnvironmentFlags.has('--allow-net') && !process.permission.has('net')
  return isDenied ? ['--allow-net', '--disable-warning=ExperimentalWarning'] : []
}

function readingFlags(path: string | undefined): string[] {
  const file = path?.trim()
  if (!file || process.permission.has('fs.read', resolve(file))) return []
  return [`--allow-fs-read=${resolve(file)}`]
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
