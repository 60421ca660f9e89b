import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface AgentEnd {
  /** `exit code 0`, `signal SIGTERM`. */
  readonly how: string
  /** Whether it exited by itself on SIGTERM. */
  readonly clean: boolean
}

/**
 * Starts a program that ends with this process, however that ends. It has its own process group, so that children of a shell or npm end
 * with it, and Ctrl-C does not reach it.
 *
 * @param input what it reads; absent: nothing
 */
export function startOwned(program: string, args: readonly string[], env: NodeJS.ProcessEnv, input = '') {
  const child = spawn(program, args, { detached: true, env, stdio: 'pipe' })
  child.stdin.on('error', () => {}).end(input)
  let how: string | undefined
  // A process id that is free again may be another program's.
  const signal = (name: NodeJS.Signals) => how === undefined && signalGroup(child.pid, name)
  const kill = () => signal('SIGKILL')
  const dismiss = guard(child.pid)
  // However this process ends, the program must release its port.
  process.once('exit', kill)
  const ended = once(child, 'close')
    .then(
      ([code, killedBy]) => (killedBy === null ? `exit code ${code}` : `signal ${killedBy}`),
      ({ code }: NodeJS.ErrnoException) => `it could not be started (${code})`,
    )
    .then(outcome => {
      process.off('exit', kill)
      dismiss()
      how = outcome
      return outcome
    })
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    /** Resolves with how it ended, requested or not: `exit code 1`. */
    ended,
    /** The same; undefined until it has ended. */
    get how() {
      return how
    },
    /** Ends it at once, with SIGKILL; resolves when it has ended. */
    async kill() {
      kill()
      await ended
    },
    /** Stops it with SIGTERM, and kills it if it has not ended after so many milliseconds. */
    async end(patienceMs: number): Promise<AgentEnd> {
      if (how !== undefined) return { how: `it had already ended with ${how}`, clean: false }
      signal('SIGTERM')
      const outcome = await Promise.race([ended, sleep(patienceMs, undefined, { ref: false })])
      if (outcome !== undefined) return { how: outcome, clean: true }
      kill()
      return { how: `it did not end within ${patienceMs / 1000} s`, clean: false }
    },
  }
}

/**
 * Ends a process group once this process is gone, however it ended: the guard reads from a pipe that closes then.
 *
 * @returns dismisses the guard
 */
function guard(pid: number | undefined): () => void {
  if (pid === undefined) return () => {}
  const script = 'read -r _; kill -s TERM -- "-$1"; sleep 5; kill -s KILL -- "-$1"'
  const watching = spawn('sh', ['-c', script, 'guard', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watching.on('error', () => {})
  watching.unref()
  ;(watching.stdin as Socket).on('error', () => {}).unref()
  return () => void watching.kill('SIGKILL')
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has just exited.
  }
}

/** A port that is free now, for a program that must be told one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
