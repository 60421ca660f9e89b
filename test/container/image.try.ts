import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { enter } from './container.ts'
import {
  base,
  command,
  config,
  healthCommand,
  history,
  image,
  layers,
  layersAgain,
  rebuildLog,
  secret,
} from './image.ts'
import { report } from './report.ts'
import { addedTo, filesWith, sizeOf } from './tree.ts'

const SECOND = 1_000_000_000

/** Files that describe the bundle. */
const PAPERS = ['THIRD-PARTY-NOTICES.txt', 'origin.json', 'package.json', 'sbom.json'].map(
  name => `app/${name}`,
)

describe('what the image contains', () => {
  test('the bundle with its source maps, and nothing else beyond its base', async () => {
    const added = await addedTo(base, image)
    const scripts = added.filter(path => /^app\/(main|chunks\/[\w-]+)\.js$/.test(path))
    expect(scripts).toContain('app/main.js')
    const maps = scripts.map(path => `${path}.map`)
    expect(added.toSorted()).toEqual(['app', 'app/chunks', ...PAPERS, ...scripts, ...maps].sort())
  })

  test('at most 15 MB more than its base, 300 MB in all', async () => {
    const [before, after] = [(await sizeOf(base)) / 1e6, (await sizeOf(image)) / 1e6]
    report(`size: ${after.toFixed(0)} MB, ${(after - before).toFixed(1)} MB more than the base`)
    expect(after - before).toBeLessThanOrEqual(15)
    expect(after).toBeLessThan(300)
  })

  test('no secret that the build received by mistake', async () => {
    expect(await filesWith(image, secret)).toEqual([])
    expect(history).toContain('/app')
    expect(history).not.toContain(secret)
    expect(JSON.stringify(config)).not.toContain(secret)
  })
})

describe('what the image declares', () => {
  test("a user that Kubernetes recognises as non-root, the interface's port, no shell to start", () => {
    expect(config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(Object.keys(config.ExposedPorts)).toEqual(['8080/tcp'])
    expect([command[0], command.at(-1)]).toEqual(['node', 'main.js'])
  })

  test("the interface's health check, without a shell", () => {
    const { Test, Interval, Timeout, StartPeriod, Retries } = config.Healthcheck
    expect([Interval / SECOND, Timeout / SECOND, Retries]).toEqual([30, 5, 3])
    expect(StartPeriod).toBeGreaterThan(0)
    expect([Test[0], healthCommand[0]]).toEqual(['CMD', 'node'])
  })

  test('its origin', async () => {
    const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'))
    const label = (name: string) => config.Labels[`org.opencontainers.image.${name}`]
    expect(label('title')).toBe('agent-task-service')
    expect(label('version')).toBe(version)
    expect(label('revision')).toMatch(/^[0-9a-f]{40}$/)
    expect(Date.parse(label('created') ?? '')).toBeGreaterThan(Date.now() - 3_600_000)
    const origin = JSON.parse(await readFile(join(image, 'app/origin.json'), 'utf8'))
    expect(origin).toMatchObject({
      commit: label('revision'),
      lockfile: config.Labels['agent-task-service.lockfile'],
    })
    expect(label('base.name')).toBe('docker.io/library/node:24-slim')
  })

  test("the base's Node, unchanged", async () => {
    const { components } = JSON.parse(await readFile(join(image, 'app/sbom.json'), 'utf8'))
    const { lines, exited } = await enter(['node', '--version'])
    await exited
    expect(lines.at(-1)).toBe(`v${components.find(({ name }: { name: string }) => name === 'node').version}`)
  })

  test('the same commit builds the same bytes twice', () => {
    expect(layers.length).toBeGreaterThan(1)
    expect(layersAgain).toEqual(layers)
  })

  test('a code change does not download the dependencies again', () => {
    expect(rebuildLog).toMatch(/RUN npm ci.*\n.*(Using cache|CACHED)/)
    expect(rebuildLog).toMatch(/RUN node_modules\/.bin\/agent build.*\n(?!.*(Using cache|CACHED))/)
  })
})
