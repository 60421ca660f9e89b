import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import type { Socket } from 'node:net'
import { basename, extname, join, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Job, ReaderReply } from './reader-main.ts'

/** How much the reader may allocate beyond an idle Node, in kB: in the heap and outside it. */
const MAX_DATA_KB = 160_000
/** The part of it that the heap may have. */
const MAX_HEAP_MB = 96
/** Processor time of one reader, in seconds; the next one takes over. Ends a reader that outlives the service. */
const MAX_CPU_SEC = 600
/** Longest reply, in bytes. */
const MAX_REPLY_BYTES = 4 * 2 ** 20
/** The message of the error for a job whose reader has ended. */
export const ENDED = 'the reader ended'
/** How much is kept of what a reader writes to its error stream, in characters. */
const MAX_ERRORS = 1_000

/**
 * For each line, a key and the memory it may allocate in kB, starts a reader and prints the key with its process id, and
 * the key alone once it has ended. Without the memory, it measures that of an idle Node instead. It is a shell because
 * that takes 1 MB, where Node would take 45, and because the kernel's limits are set between fork and exec. If memory is
 * short, the kernel shall end the reader, not the service. Node puts its own permissions into `NODE_OPTIONS` of its
 * children.
 *
 * A shell that may start no process ends, so it replaces itself, for which it needs none. Once the service is gone, it
 * ends its whole process group.
 */
const SHELL = `
  unset NODE_OPTIONS
  script=$1 cpu=$2 measure=$3 main=$4
  shift 4
  trap 'echo "$key"; exec /bin/sh -c "$script" reader "$script" "$cpu" "$measure" "$main" "$@"' EXIT
  while read -r key data; do
    wait
    (
      trap 'echo "$key"' EXIT
      (
        exec <&4 >&5 2>&6 4<&- 5>&- 6>&-
        ulimit -c 0
        ulimit -t "$cpu"
        echo 1000 >/proc/self/oom_score_adj
        [ "$data" ] || exec "$@" --allow-fs-read=/proc/self/status -e "$measure" "$key"
        ulimit -d "$data"
        exec "$@" "$main" "$key"
      ) &
      echo "$key $!"
      wait $!
    ) &
  done
  trap - EXIT
  kill -9 0`

/** Starts the shell above, and another when that was killed: the service may start none by then. */
const KEEPER = `
  exec <&3 3<&-
  trap 'exec /bin/sh -c "$1" reader "$@"' EXIT
  while :; do /bin/sh -c "$1" reader "$@"; done`

/**
 * Replies with the memory that an idle Node allocates, in kB; without `/proc`, with nothing. Then it waits to be ended, since
 * its own end might be read before its reply, which comes over another pipe.
 */
const MEASURE = `
  let kb
  try { kb = Number(/VmData:\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/status'))[1]) } catch {}
  console.log('\\n' + process.argv[1] + ' ' + JSON.stringify({ result: kb }))
  setInterval(() => {}, 1000000)`

// Next to this file: in the sources, in an installed package and in the bundle.
const suffix = extname(import.meta.filename)
export const MAIN = join(import.meta.dirname, `reader-main${suffix}`)

/** The folders of the reader's code. A linked node_modules is read by both its names. */
function codeFolders(): readonly string[] {
  const isBundled = !basename(import.meta.filename).startsWith('reader-process.')
  if (isBundled) return [import.meta.dirname]
  const [project = '', installed] = import.meta.dirname.split(`${sep}node_modules${sep}`)
  const root = installed === undefined ? join(import.meta.dirname, '../../..') : project
  const paths = ['packages', 'node_modules', 'package.json'].map(name => join(root, name)).filter(existsSync)
  return [...new Set(paths.flatMap(path => [path, realpathSync(path)]))]
}

/** Node's arguments: the reader may read its own code, and nothing else. */
export function nodeArguments(): string[] {
  return [
    '--permission',
    ...codeFolders().map(path => `--allow-fs-read=${path}`),
    // It heeds no permission.
    '--no-experimental-sqlite',
    '--disallow-code-generation-from-strings',
    '--disable-warning=ExperimentalWarning',
    `--max-old-space-size=${MAX_HEAP_MB}`,
    '--max-semi-space-size=2',
    '--v8-pool-size=1',
  ]
}

let shell: ReaderShell | undefined

/** The shell that starts readers. Started while this process may start programs, it serves for its whole life. */
export function readerShell(): ReaderShell {
  shell ??= new ReaderShell(() => {
    shell = undefined
  })
  return shell
}

/** Tells why no reader can be started, and with `undefined` that one could again. */
export const readerState = new EventEmitter<{ change: [trouble: string | undefined] }>()

/** Starts the processes that read pages: one at a time, and a new one after each that ended. */
export class ReaderShell {
  readonly #keys: Socket
  readonly #jobs: Socket
  /** Of the last process started. Comes before each job and reply: an earlier reader may have left half a line behind. */
  #key = ''
  isRunning = false
  /** Process id of the reader, once known. */
  pid: number | undefined
  /** Memory of an idle Node, in kB; `null` if the system does not tell. */
  #idleKb: number | null | undefined
  #reply: PromiseWithResolvers<ReaderReply> | undefined
  #parts: Buffer[] = []
  /** The end of what the last process started wrote to its error stream. */
  #errors = ''

  /**
   * @param gone called when it can start no more
   * @throws {Error} if this process may start none
   */
  constructor(gone: () => void) {
    const settings = [SHELL, String(MAX_CPU_SEC), MEASURE, MAIN]
    const child = spawn(
      '/bin/sh',
      ['-c', KEEPER, 'reader', ...settings, process.execPath, ...nodeArguments()],
      {
        // Code shall not learn the machine's zone.
        env: { TZ: 'UTC' },
        // Node closes the standard input of a process that has ended, but what the keeper has started goes on without it.
        stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
        // Otherwise Ctrl-C would end it while the service drains.
        detached: true,
      },
    )
    const pipes = child.stdio as unknown as (Socket | null)[]
    const onGone = () => {
      gone()
      for (const pipe of pipes) pipe?.destroy()
      this.end()
    }
    child.on('error', onGone).on('close', onGone).unref()
    for (const pipe of pipes) pipe?.on('error', () => {}).unref()
    const [, lines, , keys, jobs, replies, errors] = pipes
    this.#keys = keys!
    this.#jobs = jobs!
    createInterface({ input: lines! }).on('line', line => {
      const [key, id] = line.split(' ')
      const pid = Number(id) || undefined
      const isLatest = key === this.#key
      if (isLatest) this.pid = pid
      if (isLatest && pid === undefined) this.end()
      // Its end was wanted before its id was known.
      if (pid !== undefined && !(isLatest && this.isRunning)) kill(pid)
    })
    replies!.on('data', part => this.#onData(part))
    errors!.setEncoding('utf8').on('data', text => {
      this.#errors = (this.#errors + text).slice(-MAX_ERRORS)
    })
  }

  /**
   * Starts a reader, and waits until its code is loaded.
   *
   * @throws {Error} if it ends before, with the last line of what it wrote to its error stream
   */
  async start(): Promise<void> {
    if (this.#idleKb === undefined) {
      this.#idleKb = ((await this.#launch('')) as number | undefined) ?? null
      this.end()
    }
    await this.#launch(this.#idleKb === null ? 'unlimited' : String(this.#idleKb + MAX_DATA_KB))
  }

  /** @returns the first reply of the process */
  async #launch(dataKb: string): Promise<unknown> {
    if (!this.#keys.writable) throw new Error('what starts the reader has ended')
    this.#key = randomUUID()
    this.isRunning = true
    this.pid = undefined
    this.#errors = ''
    const reply = this.#nextReply()
    this.#keys.write(`${this.#key} ${dataKb}\n`)
    try {
      return await reply
    } catch (error) {
      // What it wrote before its end may be read after that, when the event loop looks for data once more.
      await nextTurn()
      await nextTurn()
      const last = this.#errors.trim().split('\n').at(-1)
      throw last ? new Error(`${(error as Error).message}: ${last}`) : error
    }
  }

  /**
   * Gives the reader a job. One at a time.
   *
   * @throws {Error} if the job fails, or the reader ends
   */
  async ask(job: Job): Promise<unknown> {
    const reply = this.#nextReply()
    this.#jobs.write(`\n${this.#key} ${JSON.stringify(job)}\n`)
    return await reply
  }

  /** Ends the reader, and so its job. */
  end(): void {
    this.isRunning = false
    this.#reply?.reject(new Error(ENDED))
    if (this.pid !== undefined) kill(this.pid)
  }

  async #nextReply(): Promise<unknown> {
    this.#reply = Promise.withResolvers()
    this.#parts = []
    try {
      const { result, error } = await this.#reply.promise
      if (error !== undefined) throw new Error(error)
      return result
    } finally {
      this.#reply = undefined
    }
  }

  #onData(part: Buffer): void {
    this.#parts.push(part)
    if (this.#parts.reduce((sum, { length }) => sum + length, 0) > MAX_REPLY_BYTES) this.end()
    if (!part.includes('\n')) return
    const lines = Buffer.concat(this.#parts).toString().split('\n')
    this.#parts = [Buffer.from(lines.pop()!)]
    const line = lines.find(line => line.startsWith(`${this.#key} `))
    if (line) this.#reply?.resolve(JSON.parse(line.slice(this.#key.length)))
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
