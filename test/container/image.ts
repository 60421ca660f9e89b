import { readFileSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** What the Dockerfile's instructions became, as the engine tells it. Times in nanoseconds. */
export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint?: readonly string[] | null
  readonly Cmd: readonly string[]
  readonly WorkingDir: string
  readonly ExposedPorts: Readonly<Record<string, unknown>>
  readonly Labels: Readonly<Record<string, string>>
  readonly Healthcheck: {
    readonly Test: readonly string[]
    readonly Interval: number
    readonly Timeout: number
    readonly StartPeriod: number
    readonly Retries: number
  }
}

const { IMAGE_DIR: folder, SECRET } = process.env
if (!folder || !SECRET) throw new Error('no image to try: run .ci/container')

/** The file systems of the image and of its base. */
export const image = await realpath(join(folder, 'image'))
export const base = await realpath(join(folder, 'base'))
export const config: ImageConfig = JSON.parse(read('config.json'))
/** Configuration, layers and history, as the engine shows them. */
export const history = read('history.txt')
/** Digests of the image's layers, and of those of a second build from another clone of the same commit. */
export const layers: readonly string[] = listIn('layers.json')
export const layersAgain: readonly string[] = listIn('layers-again.json')
/** What the build after a change of the code alone said. */
export const rebuildLog = read('rebuild.log')
/** Given to the build by mistake, as an argument and in a file `.env`. */
export const secret = SECRET

/** The image's command, as its process 1 gets it. */
export const command = [...(config.Entrypoint ?? []), ...config.Cmd]

/** The health check's command; it takes no shell. */
export const healthCommand = config.Healthcheck.Test.slice(1)

function listIn(name: string): readonly string[] {
  return JSON.parse(read(name) || '[]')
}

function read(name: string): string {
  return readFileSync(join(folder!, name), 'utf8')
}
