import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { AGENT_PORT } from '../../limits.ts'
import { NotRun, OutOfSight } from '../verdicts.ts'

/** What an image reveals without running. */
export interface ImageFacts {
  readonly bytes: number
  /** Declared, as `8080/tcp`. */
  readonly ports: readonly string[]
  /** The content of its `/etc/os-release`; empty if it has none. */
  readonly system: string
  /** Its variables, as `NAME=value`. */
  readonly environment: readonly string[]
  /** Its health check, times in nanoseconds; absent or 0: the engine's default. */
  readonly health?: ImageHealth | undefined
}

interface ImageHealth {
  readonly Test?: readonly string[]
  readonly Interval?: number
  readonly Timeout?: number
  readonly Retries?: number
}

interface ImageConfig {
  readonly ExposedPorts?: object
  readonly Env?: readonly string[]
  readonly Healthcheck?: ImageHealth
}

function declared({ ExposedPorts = {}, Env = [], Healthcheck }: ImageConfig = {}) {
  return { ports: Object.keys(ExposedPorts), environment: Env, health: Healthcheck }
}

/** Runs a program and returns its output. Rejects if it fails or is missing. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>

const runProgram: RunProgram = async (program, args) => {
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 2 ** 24, timeout: 60_000 })
  return stdout
}

/**
 * Inspects an image with docker, podman or buildah, whichever has it.
 *
 * @throws NotRun if none has it
 */
export async function inspectImage(image: string, run: RunProgram = runProgram): Promise<ImageFacts> {
  const problems: string[] = []
  for (const [program, inspect] of [
    ['docker', inspectWithDocker],
    ['podman', inspectWithDocker],
    ['buildah', inspectWithBuildah],
  ] as const) {
    try {
      return await inspect((...args) => run(program, args), image)
    } catch (error) {
      problems.push(`${program}: ${reason(error)}`)
    }
  }
  throw new NotRun(`the image ${image} could not be inspected: ${problems.join('; ')}`)
}

/**
 * The internal URLs of an image's running containers, whatever ports are published.
 *
 * @throws OutOfSight if none is running
 */
export async function containerUrls(image: string, run: RunProgram = runProgram): Promise<string[]> {
  for (const engine of ['docker', 'podman']) {
    const ask = async (...args: string[]) =>
      (await run(engine, args).catch(() => '')).split(/\s+/).filter(Boolean)
    const containers = await ask('ps', '-q', '--filter', `ancestor=${image}`)
    if (containers.length === 0) continue
    const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}'
    const addresses = await ask('inspect', '--format', format, ...containers)
    if (addresses.length > 0) return addresses.map(address => `http://${address}:${AGENT_PORT}`)
  }
  throw new OutOfSight(`no running container of the image ${image} has its own address`)
}

type Engine = (...args: readonly string[]) => Promise<string>

async function inspectWithDocker(engine: Engine, image: string): Promise<ImageFacts> {
  const [facts] = JSON.parse(await engine('image', 'inspect', image)) as [
    { Size: number; Config?: ImageConfig },
  ]
  const container = (await engine('create', image, 'none')).trim()
  try {
    // A tar archive contains text files verbatim. The file is often a link, which is followed.
    const archive = await engine('cp', '-L', `${container}:/etc/os-release`, '-').catch(() => '')
    return { bytes: facts.Size, system: archive, ...declared(facts.Config) }
  } finally {
    await engine('rm', container)
  }
}

async function inspectWithBuildah(engine: Engine, image: string): Promise<ImageFacts> {
  const facts = JSON.parse(await engine('inspect', '--type', 'image', image)) as {
    OCIv1?: { config?: ImageConfig }
    Docker?: { config?: ImageConfig }
  }
  const container = (await engine('from', '--pull-never', image)).trim()
  try {
    const read = (command: string) => engine('run', container, '--', 'sh', '-c', command)
    const kilobytes = Number((await read('du -skx / 2>/dev/null || true')).split(/\s/)[0])
    const system = await read('cat /etc/os-release').catch(() => '')
    const config = { ...facts.OCIv1?.config, ...facts.Docker?.config }
    return { bytes: kilobytes * 1024, system, ...declared(config) }
  } finally {
    await engine('rm', container)
  }
}

function reason(error: unknown): string {
  const { code, stderr } = error as { code?: unknown; stderr?: unknown }
  if (code === 'ENOENT') return 'not installed'
  const text = typeof stderr === 'string' && stderr.trim() !== '' ? stderr : String(error)
  return text.trim().split('\n').at(-1)!.slice(0, 200)
}
