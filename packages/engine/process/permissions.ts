import { writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { createMask } from '@agent-task-service/wire/masking'
import type { AgentDefinition } from '../agent/definition.ts'
import type { Config } from '../config/config.ts'
import { createLog } from '../log/log.ts'

/**
 * Whether Node's permission model is on. The image starts the process with `--permission`: it may read its own folder
 * and nothing else. Child processes are allowed at first, since a restart counts as one; see `settlePermissions`.
 */
const isRestricted = () => process.permission !== undefined && process.execArgv.includes('--permission')

/**
 * Allows the network, and reading these files, wherever they are: restarts with the flags that are missing.
 */
export function addPermissions(files: readonly string[]): void {
  if (!isRestricted()) return
  const missing = [...networkFlags(), ...files.flatMap(readingFlags)].filter(
    flag => !process.execArgv.includes(flag),
  )
  if (missing.length > 0) startAnew([...process.execArgv, ...missing])
}

/** Node 26 denies the network without a flag, which it calls experimental; Node 24 grants it, and refuses the flag. */
function networkFlags(): string[] {
  const isDenied = process.allowedNodeEnvironmentFlags.has('--allow-net') && !process.permission.has('net')
  return isDenied ? ['--allow-net', '--disable-warning=ExperimentalWarning'] : []
}

function readingFlags(file: string): string[] {
  if (process.permission.has('fs.read', resolve(file))) return []
  return [`--allow-fs-read=${resolve(file)}`]
}

/** Forbids child processes for good. If what supplies tools starts programs, lifts all restrictions: their needs are unknown. */
export function settlePermissions(config: Config, prepare: AgentDefinition['prepare']): void {
  if (!isRestricted()) return
  const reasons = config.moreTools.flatMap(({ extra, settings }) => extra.startsPrograms?.(settings) ?? [])
  if (reasons.length === 0) {
    prepare?.()
    const { drop } = process.permission as NodeJS.ProcessPermission & { drop(scope: string): void }
    drop('child')
    return
  }
  const sink = { write: (line: string) => void writeSync(1, line) }
  const log = createLog(config, createMask(config.secrets), sink)
  log.warn(`${reasons.join(', ')}: Node's permission model is off`)
  startAnew(process.execArgv.filter(flag => !/^--(?:permission|allow-)/.test(flag)))
}

/** Replaces this process with the same program under other flags, keeping the process id. */
function startAnew(flags: readonly string[]): never {
  return process.execve!(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)])
}
