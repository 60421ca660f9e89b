import { writeSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from './config.ts'
import { createLog } from './log.ts'
import { createScrub } from './scrub.ts'

/**
 * Node's permission model, where the process was started with `--permission`, as in the image: it may read its own folder
 * and nothing else. Child processes are allowed at first, since starting anew counts as one; see `settlePermissions`.
 */
const isRestricted = () => process.permission !== undefined && process.execArgv.includes('--permission')

/** Makes a file that the environment names readable, wherever it is; without a path it does nothing. */
export function allowReading(path: string | undefined): void {
  if (!isRestricted() || !path?.trim()) return
  const flag = `--allow-fs-read=${resolve(path.trim())}`
  if (process.permission.has('fs.read', resolve(path.trim())) || process.execArgv.includes(flag)) return
  startAnew([...process.execArgv, flag])
}

/** Gives up child processes for good; where MCP servers are programs, they need more than could be listed: all is allowed. */
export function settlePermissions(config: Config): void {
  if (!isRestricted()) return
  if (!config.mcpServers.some(({ transport }) => transport === 'stdio')) {
    giveUpChildProcesses()
    return
  }
  const sink = { write: (line: string) => void writeSync(1, line) }
  createLog(config, createScrub(config.secrets), sink).warn(
    "MCP servers are programs: Node's permission model is off",
  )
  startAnew(process.execArgv.filter(flag => !/^--(?:permission|allow-)/.test(flag)))
}

function giveUpChildProcesses(): void {
  // Newer than the first releases of Node 24.
  const { drop, has } = process.permission as NodeJS.ProcessPermission & { drop?(scope: string): void }
  if (drop) drop('child')
  else if (has('child')) startAnew(process.execArgv.filter(flag => flag !== '--allow-child-process'))
}

/** The same program with other flags in the place of this process, under the same id. */
function startAnew(flags: readonly string[]): never {
  return process.execve!(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)])
}
