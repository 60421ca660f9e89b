import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import type { Socket } from 'node:net'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Job, Reply } from './reader-main.ts'

/** How much the reader may allocate beyond an idle Node, in kB: in the heap and outside it. */
const MAX_DATA_KB = 160_000
/** The part of it that the heap may have. */
const MAX_HEAP_MB = 96
/** Processor time of one reader, in seconds; the next one takes over. Ends a reader that outlives the service. */
const MAX_CPU_SEC = 600
/** Longest reply, in bytes. */
const MAX_REPLY_BYTES = 4 * 2 ** 20

/**
 * Starts a reader for each line, prints its id, and an empty line once it has ended. It is a shell because that takes
 * 1 MB, where Node would take 45, and because the kernel's limits are set between fork and exec. If memory is short, the
 * kernel shall end the reader, not the service. Node puts its own permissions into `NODE_OPTIONS` of its children.
 */
const SHELL = `
  unset NODE_OPTIONS
  data=$1 cpu=$2 main=$3
  shift 3
  while read -r key; do
    [ "$idle" ] || idle=$("$@" --allow-fs-read=/proc/self/status -p \\
      "/VmData:\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/status'))[1]")
    (
      ulimit -c 0
      ulimit -t "$cpu"
      [ -z "$idle" ] || ulimit -d $((idle + data))
      echo 1000 >/proc/self/oom_score_adj
      exec "$@" "$main" "$key" <&3 >&4 3<&- 4>&-
    ) &
    echo $!
    wait $!
    echo
  done`

// Next to this file, both in the sources and in the bundle.
const suffix = extname(import.meta.url)
export const MAIN = join(import.meta.dirname, `reader-main${suffix}`)

/** The folders of the reader's code. A linked node_modules is read by both its names. */
function code(): readonly string[] {
  if (suffix !== '.ts') return [import.meta.dirname]
  const root = join(import.meta.dirname, '../..')
  const paths = ['tools', 'node_modules', 'package.json'].map(name => join(root, name))
  return [...new Set(paths.flatMap(path => [path, realpathSync(path)]))]
}

/** Node's arguments: the reader may read its own code, and nothing else. */
export function nodeArguments(): string[] {
  return [
    '--permission',
    ...code().map(path => `--allow-fs-read=${path}`),
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

/** Starts the processes that read pages: one at a time, and a new one after each that ended. */
export class ReaderShell {
  readonly #keys: Socket
  readonly #jobs: Socket
  /** Comes before each job and reply: an earlier reader may have left half a line behind. Empty: none is running. */
  #key = ''
  /** Process id of the reader, once known. */
  pid: number | undefined
  #ended = Promise.withResolvers<void>()
  #reply: PromiseWithResolvers<Reply> | undefined
  #parts: Buffer[] = []

  /** @param gone called when it can start no more */
  constructor(gone: () => void) {
    const settings = [String(MAX_DATA_KB), String(MAX_CPU_SEC), MAIN]
    const child = spawn(
      '/bin/sh',
      ['-c', SHELL, 'reader', ...settings, process.execPath, ...nodeArguments()],
      {
        env: {},
        stdio: ['pipe', 'pipe', 'ignore', 'pipe', 'pipe'],
        // Otherwise Ctrl-C would end it while the service drains.
        detached: true,
      },
    )
    const onGone = () => {
      gone()
      this.#onEnd()
    }
    child.on('error', onGone).on('exit', onGone).unref()
    const pipes = child.stdio as unknown as (Socket | null)[]
    for (const pipe of pipes) pipe?.on('error', () => {}).unref()
    const [keys, lines, , jobs, replies] = pipes
    this.#keys = keys!
    this.#jobs = jobs!
    createInterface({ input: lines! }).on('line', line => {
      this.pid = Number(line) || undefined
      if (line === '') this.#onEnd()
      // Ended before its id was known.
      else if (!this.isRunning) this.end()
    })
    replies!.on('data', part => this.#onData(part))
    this.#ended.resolve()
  }

  get isRunning(): boolean {
    return this.#key !== ''
  }

  /**
   * Starts a reader, and waits until its code is loaded.
   *
   * @throws {Error} if it ends before
   */
  async start(): Promise<void> {
    await this.#ended.promise
    this.#ended = Promise.withResolvers()
    this.#key = randomUUID()
    const ready = this.#nextReply()
    this.#keys.write(`${this.#key}\n`)
    await ready
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
    this.#key = ''
    this.#reply?.reject(new Error('the reader ended'))
    try {
      if (this.pid !== undefined) process.kill(this.pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
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

  #onEnd(): void {
    this.end()
    this.#ended.resolve()
  }

  #onData(part: Buffer): void {
    this.#parts.push(part)
    if (this.#parts.reduce((sum, { length }) => sum + length, 0) > MAX_REPLY_BYTES) this.end()
    if (!part.includes('\n')) return
    const lines = Buffer.concat(this.#parts).toString().split('\n')
    this.#parts = [Buffer.from(lines.pop()!)]
    const line = this.#key && lines.find(line => line.startsWith(`${this.#key} `))
    if (line) this.#reply?.resolve(JSON.parse(line.slice(this.#key.length)))
  }
}
