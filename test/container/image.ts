import { readFileSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** The Dockerfile's instructions as the engine reports them. Times in nanoseconds. */
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

/** The file systems of the image and its base. */
export const image = await realpath(join(folder, 'image'))
export const base = await realpath(join(folder, 'base'))
export const config: ImageConfig = JSON.parse(read('config.json'))
/** Configuration, layers and history, as the engine reports them. */
export const history = read('history.txt')
/** Digests of the image's layers, and of a second build from another clone of the same commit. */
export const layers: readonly string[] = listIn('layers.json')
export const layersAgain: readonly string[] = listIn('layers-again.json')
/** Output of the build after a change to the code alone. */
export const rebuildLog = read('rebuild.log')
/** Passed to the build by mistake, as an argument and in a file `.env`. */
export const secret = SECRET

/** The image's command, as process 1 receives it. */
export const command = [...(config.Entrypoint ?? []), ...config.Cmd]

/** The health check's command; it needs no shell. */
export const healthCommand = config.Healthcheck.Test.slice(1)

function listIn(name: string): readonly string[] {
  return JSON.parse(read(name) || '[]')
}

function read(name: string): string {
  return readFileSync(join(folder!, name), 'utf8')
}
