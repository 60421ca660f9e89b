import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { type Environment, UsageError } from '@agent-task-service/rehearsal/command-line'
import type { Command } from '../command.ts'
import { shipped } from '../modules/rules.ts'
import { expectAgent } from '../own-agent.ts'

/** Files that editors leave behind. */
const DROPPINGS = /^\.(?!env$).|~$/
/** Wait for this long without changes: a save may be several, and several files may be saved at once. */
const SETTLE_MS = 100
/** How long the service may take to exit: a tool in a tight loop never handles the signal. */
const GRACE_MS = 3_000
const LOADER = import.meta.resolve('@agent-task-service/cli/loader')
/** Makes the service exit if this process is killed, and with one line alone if its loader refuses a module. */
const ENDS =
  'data:text/javascript,process.once("disconnect",()=>process.exit(1)).on("uncaughtExceptionMonitor",({name,message})=>{if(name==="StartError"){console.error(message);process.exit(1)}})'

export const usage = `npm run dev [-- --inspect[=HOST:PORT]]

Serves the agent from its sources and restarts on every save.

  --inspect[=HOST:PORT]  lets a debugger attach to the service; --inspect-brk waits for one
  --help                 this text
`

/** Starts the service in its own process group, so that signals from a terminal or npm do not reach it twice. */
function start(inspect: readonly string[], env: Environment): ChildProcess {
  const ownSettings = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {}
  return spawn(process.execPath, [...inspect, `--import=${ENDS}`, `--import=${LOADER}`, 'src/main.ts'], {
    env: { LOG_ERRORS: 'full', STREAM_MODEL_INPUT: 'true', ...ownSettings, ...env, SHUTDOWN_GRACE_SEC: '1' },
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** Resolves when the service has exited and nothing is left of its process group. */
async function endOf(service: ChildProcess): Promise<void> {
  const [code, signal] = await once(service, 'exit')
  kill(service)
  if (!service.killed) say(`the service exited (${signal ?? `exit code ${code}`}); save a file to restart it`)
}

function kill({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

function say(text: string): void {
  process.stdout.write(`[dev] ${text}\n`)
}

/** Resolves with the path of a change from now on, once changes have settled. */
async function change(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const watchers: FSWatcher[] = []
  let timer: NodeJS.Timeout
  watchFolder('.', watchers, changed => {
    clearTimeout(timer)
    timer = setTimeout(resolve, SETTLE_MS, changed)
  })
  const path = await promise
  for (const watcher of watchers) watcher.close()
  return path
}

/** Watches folders alone: a watcher of a file stays with it when an editor renames another over it. */
function watchFolder(folder: string, watchers: FSWatcher[], notice: (path: string) => void): void {
  const listener = (_event: string, name: string | null) => {
    const path = join(folder, name ?? '')
    if (isWatched(path)) notice(path)
  }
  try {
    // Before it is read: a folder that is made meanwhile is noticed.
    watchers.push(watch(folder, listener))
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && isWatched(path)) watchFolder(path, watchers, notice)
    }
  } catch (error) {
    // Removed meanwhile, which the watcher of its parent notices.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function isWatched(path: string): boolean {
  return [...shipped(), '.env'].includes(path.split(sep)[0]!) && !DROPPINGS.test(basename(path))
}

/** `--inspect` is for the service, not for this process, which would take the port. */
const INSPECT = /^--inspect(-brk|-wait)?(=|$)/

export const run: Command = async (args, env) => {
  const unknown = args.find(arg => !INSPECT.test(arg))
  if (unknown !== undefined) throw new UsageError([`${unknown}: expected only --inspect, --help`])
  expectAgent()
  const ending = Promise.withResolvers<undefined>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => ending.resolve(undefined))
  }
  let path: string | undefined
  let changed = change()
  do {
    const service = start(args, env)
    const ended = endOf(service)
    path = await Promise.race([changed, ending.promise])
    if (path !== undefined) {
      say(`${path} changed, restarting`)
      // Anew each time, which takes in new folders, and while the service ends: no save goes unnoticed.
      changed = change()
    }
    service.kill()
    await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })])
    if (service.exitCode === null && service.signalCode === null) kill(service)
    await ended
  } while (path !== undefined)
  return 0
}
