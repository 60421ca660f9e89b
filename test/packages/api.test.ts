import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type PackageApi, packageApi } from '../../scripts/api/package-api.ts'
import { changeSince, isAtLeast, versionFor } from '../../scripts/api/versions.ts'
import { apiReports, readRelease } from '../../scripts/api-reports.ts'

const reports = apiReports()
const [version = ''] = reports.map(report => report.version)
const release = readRelease()
const offers = Object.fromEntries(reports.map(report => [report.name, report.offers]))

test('there is a report of each package that is installed elsewhere', () => {
  expect(globSync('docs/api/*.md').sort()).toEqual(reports.map(({ path }) => path))
  expect(reports.map(({ name }) => name)).not.toContain('@agent-task-service/test-support')
  expect(reports.length).toBeGreaterThan(1)
})

test.each(reports)('$path says what $name offers: npm run docs', ({ path, text }) => {
  expect(text).toBe(readFileSync(path, 'utf8'))
})

test('the packages have the version that their changes ask for', () => {
  const change = changeSince(release.offers, offers)
  const needed = versionFor(change, release.version)
  const message = `expected ${needed} or later after what changed since ${release.version}, got ${version}: node scripts/set-version.ts ${needed} && npm run docs`
  expect(isAtLeast(version, needed) ? [] : change, message).toEqual([])
})

test('they have one version, and what a released one offers is kept', () => {
  expect(reports.filter(report => report.version !== version)).toEqual([])
  const isReleased = readFileSync('CHANGELOG.md', 'utf8').includes(`\n## [${version}]`)
  const message = 'CHANGELOG.md says that this version is released: node scripts/api-reports.ts --released'
  if (isReleased) expect(release.version, message).toBe(version)
})

const added = { a: ['x', 'y'], b: ['z'] }
const released = { a: ['x'] }
test.each([
  ['nothing', released, { a: ['x'] }, '0.3.1', '0.3.1'],
  ['a new package', released, { a: ['x'], b: ['z'] }, '0.3.1', '0.3.1'],
  ['something added', released, added, '0.3.9', '0.3.10'],
  ['something changed', released, { a: ['x = 1'] }, '0.9.1', '0.10.0'],
  ['a package removed', released, {}, '0.3.1', '0.4.0'],
  ['something added after 1.0', released, added, '1.2.3', '1.3.0'],
  ['something removed after 1.0', added, released, '1.2.3', '2.0.0'],
])('%s asks for a version', (_what, before, after, from, needed) => {
  expect(versionFor(changeSince(before, after), from)).toBe(needed)
})

test('versions are compared as numbers', () => {
  expect(isAtLeast('0.10.0', '0.9.1')).toBe(true)
  expect(isAtLeast('0.3.0', '0.3.0')).toBe(true)
  expect(isAtLeast('0.3.9', '0.3.10')).toBe(false)
})

const folder = await mkdtemp(join(tmpdir(), 'package-'))
afterAll(async () => await rm(folder, { recursive: true }))

async function apiOf(files: Record<string, string>): Promise<PackageApi> {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const exports = { '.': './main.ts', './more': './more.ts' }
  return packageApi({ name: 'p', version: '1.0.0', exports }, folder)
}

test('a report has what a door exports, and all that leads from there', async () => {
  const api = await apiOf({
    'main.d.ts': `
      import { z } from 'zod'
      import type { Within } from './within.ts'
      export type { Again as Renamed } from './within.ts'
      /** Not part of it. */
      export declare class Thing { #hidden; private also: Away; constructor(at: Within); }
      export declare const schema: z.ZodType<import('./within.ts').Deep<import('hono').Context>>
      interface Away {}
    `,
    'more.d.ts': `export { Thing } from './main.ts'; export { Hono } from 'hono'; export * from './starred.ts'`,
    'starred.d.ts': `export declare function call(): void; export declare function call(n: number): void`,
    'within.d.ts': `
      import type { Deep } from './deep.ts'
      export type { Deep }
      export interface Within { readonly deep: Deep<string> }
      export interface Again { readonly z: 1 }
    `,
    'deep.d.ts': 'export type Deep<T> = T[]',
  })
  expect(api).toEqual({
    doors: {
      p: ['Again as Renamed', 'Thing', 'schema'],
      'p/more': ['Hono from hono', 'Thing', 'call'],
    },
    unexported: ['Deep', 'Within'],
    imported: ['Context from hono', 'z from zod'],
    declarations: [
      'interface Again {\n    readonly z: 1;\n}',
      'type Deep<T> = T[];',
      'class Thing {\n    constructor(at: Within);\n}',
      'interface Within {\n    readonly deep: Deep<string>;\n}',
      'function call(): void;',
      'function call(n: number): void;',
      'const schema: z.ZodType<Deep<Context>>;',
    ],
  })
})

test('a door without a file is named', async () => {
  const manifest = { name: 'p', version: '1.0.0', exports: { './gone': './gone.ts' } }
  expect(() => packageApi(manifest, folder)).toThrow('expected a declaration of p/gone, got no ')
})
