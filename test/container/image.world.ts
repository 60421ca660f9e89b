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
  // EVIDENCE-OF docs/reference/image.md: `node:24-slim` and the bundle in `/app`, with source maps, notices and bill of
  //   materials; 13 MB more than the base
  // EVIDENCE-OF docs/reference/threat-model.md: The image contains nothing but the bundle
  test('the bundle with its source maps, and nothing else beyond its base', async () => {
    const added = await addedTo(base, image)
    const scripts = added.filter(path => /^app\/(main|chunks\/[\w-]+)\.js$/.test(path))
    expect(scripts).toContain('app/main.js')
    const maps = scripts.map(path => `${path}.map`)
    expect(added.toSorted()).toEqual(['app', 'app/chunks', ...PAPERS, ...scripts, ...maps].sort())
  })

  // EVIDENCE-OF docs/reference/image.md: `node:24-slim` and the bundle in `/app`, with source maps, notices and bill of
  //   materials; 13 MB more than the base
  test('at most 15 MB more than its base, 300 MB in all', async () => {
    const [before, after] = [(await sizeOf(base)) / 1e6, (await sizeOf(image)) / 1e6]
    report(`size: ${after.toFixed(0)} MB, ${(after - before).toFixed(1)} MB more than the base`)
    expect(after - before).toBeLessThanOrEqual(15)
    expect(after).toBeLessThan(300)
  })

  // EVIDENCE-OF docs/guides/deployment.md: In Kubernetes, a Secret, by reference
  // EVIDENCE-OF docs/guides/deployment.md: Pass them as the container's environment, never as build arguments.
  // EVIDENCE-OF docs/reference/threat-model.md: A licence that is not on the list fails the build.
  test('no secret that the build received by mistake', async () => {
    expect(await filesWith(image, secret)).toEqual([])
    expect(history).toContain('/app')
    expect(history).not.toContain(secret)
    expect(JSON.stringify(config)).not.toContain(secret)
  })
})

describe('what the image declares', () => {
  // EVIDENCE-OF docs/reference/image.md: node with `main.js` as process 1, user 1000, no shell, few permissions; the root
  //   file system may be read-only, nothing is written
  // EVIDENCE-OF docs/reference/image.md: 8080, fixed by the interface, on every address: of IPv6 and IPv4, or of IPv4 where
  //   there is no IPv6
  test("a user that Kubernetes recognises as non-root, the interface's port, no shell to start", () => {
    expect(config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(Object.keys(config.ExposedPorts)).toEqual(['8080/tcp'])
    expect([command[0], command.at(-1)]).toEqual(['node', 'main.js'])
  })

  // EVIDENCE-OF docs/reference/image.md: `GET /health`: 200 while it accepts tasks, 503 while it drains; the image's
  //   `HEALTHCHECK` calls it every 30 s
  test("the interface's health check, without a shell", () => {
    const { Test, Interval, Timeout, StartPeriod, Retries } = config.Healthcheck
    expect([Interval / SECOND, Timeout / SECOND, Retries]).toEqual([30, 5, 3])
    expect(StartPeriod).toBeGreaterThan(0)
    expect([Test[0], healthCommand[0]]).toEqual(['CMD', 'node'])
  })

  // EVIDENCE-OF docs/reference/image.md: | Content |
  // EVIDENCE-OF docs/guides/deployment.md: The labels `org.opencontainers.image.revision` and `created`, and
  //   `agent-task-service.lockfile`; commit, its time and the lockfile's digest (`unknown` if an agent builds without one) also
  //   in `/app/origin.json`
  // EVIDENCE-OF docs/reference/threat-model.md: | | The image is not built from the commit that it names |
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

  // EVIDENCE-OF docs/guides/deployment.md: `/app/sbom.json`, CycloneDX 1.6: every package whose code is in the bundle, and Node.
  test("the base's Node, unchanged", async () => {
    const { components } = JSON.parse(await readFile(join(image, 'app/sbom.json'), 'utf8'))
    const { lines, exited } = await enter(['node', '--version'])
    await exited
    expect(lines.at(-1)).toBe(`v${components.find(({ name }: { name: string }) => name === 'node').version}`)
  })

  // EVIDENCE-OF docs/reference/image.md: Without the arguments from `agent image-arguments`, as with `docker compose up
  //   --build`, the commit is `unknown` and the time is that of the build.
  // EVIDENCE-OF docs/reference/threat-model.md: Anybody can build the commit and compare: the layer has the same bytes, `.ci/container`
  test('the same commit builds the same bytes twice', () => {
    expect(layers.length).toBeGreaterThan(1)
    expect(layersAgain).toEqual(layers)
  })

  test('a code change does not download the dependencies again', () => {
    expect(rebuildLog).toMatch(/RUN npm ci.*\n.*(Using cache|CACHED)/)
    expect(rebuildLog).toMatch(/RUN node_modules\/.bin\/agent build.*\n(?!.*(Using cache|CACHED))/)
  })
})
