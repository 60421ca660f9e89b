/** Run by `npm run dev`: serves from the sources, and starts afresh on every save. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { watch } from 'chokidar'

const WATCHED = ['src', 'graph', 'tools', '.env']
/** What editors leave beside the file. */
const DROPPINGS = /^\.(?!env$).|~$/
/** A save is several events, and several files may be saved at once. */
const SETTLE_MS = 100
/** How long the service may take to end: a tool that computes without a pause hears no signal. */
const GRACE_MS = 3_000
/** Should this process be killed, the service ends by itself. */
const END_WITH_PARENT = 'data:text/javascript,process.once("disconnect",()=>process.exit(1))'

let saved = Promise.withResolvers<string>()
const ending = Promise.withResolvers<undefined>()

/** Starts the service. Its group is its own: what a terminal or npm sends to all must not reach it twice. */
function start(): ChildProcess {
  const { LOG_ERRORS = 'full' } = process.env
  const settings = existsSync('.env') ? ['--env-file=.env'] : []
  return spawn(process.execPath, [...settings, '--import', END_WITH_PARENT, 'src/main.ts'], {
    env: { ...process.env, LOG_ERRORS, SHUTDOWN_GRACE_SEC: '1' },
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** Resolves when the service has ended, and nothing is left of its group. */
async function endOf(service: ChildProcess): Promise<void> {
  const [code, signal] = await once(service, 'exit')
  kill(service)
  if (!service.killed) say(`it ended (${signal ?? `exit code ${code}`}); the next save starts it again`)
}

function kill({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL')
  } catch {
    // Nothing is left of it.
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
  if (path !== undefined) say(`${path} changed: starting again`)
  service.kill()
  await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })])
  if (service.exitCode === null && service.signalCode === null) kill(service)
  await ended
} while (path !== undefined)
// A watcher that is closed while it looks at a change may keep one folder open, and the process with it.
process.exit()
