/** Run by `npm run dev`: serves from the sources and restarts on every save. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { watch } from 'chokidar'

const WATCHED = ['src', 'graph', 'tools', 'packages', '.env']
/** Files that editors leave behind. */
const DROPPINGS = /^\.(?!env$).|~$/
/** Wait for this long without events: a save causes several, and several files may be saved at once. */
const SETTLE_MS = 100
/** How long the service may take to exit: a tool in a tight loop never handles the signal. */
const GRACE_MS = 3_000
/** Makes the service exit if this process is killed. */
const END_WITH_PARENT = 'data:text/javascript,process.once("disconnect",()=>process.exit(1))'

let saved = Promise.withResolvers<string>()
const ending = Promise.withResolvers<undefined>()

/** `--inspect` is for the service, not for this process, which would take the port. */
const INSPECT = process.argv.slice(2).filter(option => option.startsWith('--inspect'))

/** Starts the service in its own process group, so that signals from a terminal or npm do not reach it twice. */
function start(): ChildProcess {
  const { LOG_ERRORS = 'full' } = process.env
  const settings = existsSync('.env') ? ['--env-file=.env'] : []
  return spawn(process.execPath, [...settings, ...INSPECT, '--import', END_WITH_PARENT, 'src/main.ts'], {
    env: { ...process.env, LOG_ERRORS, SHUTDOWN_GRACE_SEC: '1' },
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

let timer: NodeJS.Timeout
const ignored = (path: string) => DROPPINGS.test(basename(path))
watch(WATCHED, { ignoreInitial: true, ignored }).on('all', (_event, path) => {
  clearTimeout(timer)
  timer = setTimeout(() => saved.resolve(path), SETTLE_MS)
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => ending.resolve(undefined))
}

let path: string | undefined
do {
  saved = Promise.withResolvers()
  const service = start()
  const ended = endOf(service)
  path = await Promise.race([saved.promise, ending.promise])
  if (path !== undefined) say(`${path} changed, restarting`)
  service.kill()
  await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })])
  if (service.exitCode === null && service.signalCode === null) kill(service)
  await ended
} while (path !== undefined)
// Closing the watcher while it handles a change may leave a folder open, which would keep the process alive.
process.exit()
