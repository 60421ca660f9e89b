import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { NotRun } from '../verdicts.ts'

export interface ImageFacts {
  readonly bytes: number
  /** The content of its `/etc/os-release`; empty if it has none, or no `cat`. */
  readonly system: string
  readonly config: {
    /** By port, as `8080/tcp`. */
    readonly ExposedPorts?: object
    /** As `NAME=value`. */
    readonly Env?: readonly string[]
    /** Times in nanoseconds; absent or 0: the engine's default. */
    readonly Healthcheck?: {
      readonly Test?: readonly string[]
      readonly Interval?: number
      readonly Timeout?: number
      readonly Retries?: number
    }
  }
}

/** Runs a program and returns its output. Rejects if it fails or is missing. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>

const runProgram: RunProgram = async (program, args) => {
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 2 ** 24, timeout: 60_000 })
  return stdout
}

/**
 * Inspects an image with docker or podman, whichever has it.
 *
 * @throws NotRun if neither has it
 */
export async function inspectImage(image: string, run: RunProgram = runProgram): Promise<ImageFacts> {
  const problems: string[] = []
  for (const engine of ['docker', 'podman']) {
    try {
      const [{ Size: bytes, Config: config = {} }] = JSON.parse(
        await run(engine, ['image', 'inspect', image]),
      )
      const system = ['run', '--rm', '--entrypoint', 'cat', image, '/etc/os-release']
      return { bytes, config, system: await run(engine, system).catch(() => '') }
    } catch (error) {
      problems.push(`${engine}: ${reason(error)}`)
    }
  }
  throw new NotRun(`the image ${image} could not be inspected: ${problems.join('; ')}`)
}

function reason(error: unknown): string {
  const { code, stderr } = error as { code?: unknown; stderr?: unknown }
  if (code === 'ENOENT') return 'not installed'
  const text = typeof stderr === 'string' && stderr.trim() !== '' ? stderr : String(error)
  return text.trim().split('\n').at(-1)!.slice(0, 200)
}
