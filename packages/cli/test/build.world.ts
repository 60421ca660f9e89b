import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { bundle } from '@agent-task-service/cli/bundle'
import { Spec } from '@cyclonedx/cyclonedx-library'
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isPermitted } from '../build/third-party-notices.ts'

const COMMIT = '0123456789abcdef0123456789abcdef01234567'
/** Packages whose code is in the bundle as part of others. */
const COPIED = ['js-sha256', 'pdfjs-dist']

test.each([
  ['(MIT OR GPL-3.0-only) AND LGPL-2.1-only', false],
  ['Apache-2.0 WITH LLVM-exception', false],
  ['', false],
])('licence %s is permitted: %s', (expression, permitted) => {
  expect(isPermitted(expression)).toBe(permitted)
})

// EVIDENCE-OF docs/guides/workshop.md: The folder's path may have any characters.
test.each(['#', '?', '%', '%41', ')'])('bundles a table in a folder with %j in its path', async character => {
  const project = await mkdtemp(join(tmpdir(), `bundle${character}`))
  onTestFinished(async () => await rm(project, { recursive: true }))
  const files = {
    'package.json': '{"type": "module"}',
    'node_modules/gpt-tokenizer/package.json': '{"name": "gpt-tokenizer", "type": "module"}',
    'node_modules/gpt-tokenizer/bpeRanks/o200k_base.js': 'export default ["whole"]',
    'main.ts': "import table from 'gpt-tokenizer/bpeRanks/o200k_base.js'\nconsole.log(table[0])",
    'build.ts': `import { bundle } from ${JSON.stringify(import.meta.resolve('@agent-task-service/cli/bundle'))}
await bundle('main.ts', 'dist')`,
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), text)
  }
  const node = async (file: string) => await promisify(execFile)(process.execPath, [file], { cwd: project })
  await node('build.ts')
  expect((await node('dist/main.js')).stdout).toBe('whole\n')
})

describe('the build, in a folder of an npm workspace', () => {
  let workspace: string
  let project: string
  let dist: string

  /** Runs the build as a program in a project copy, as the image does: without git. */
  async function build(epoch = '1700000000'): Promise<void> {
    const env = { PATH: process.env.PATH, REVISION: COMMIT, SOURCE_DATE_EPOCH: epoch }
    await promisify(execFile)(process.execPath, ['packages/cli/agent.js', 'build'], { cwd: project, env })
  }

  beforeAll(async () => {
    workspace = await mkdtemp(join(tmpdir(), 'build (#?%41)-'))
    project = join(workspace, 'agents/ours')
    dist = join(project, 'dist')
    for (const part of ['src', 'graph', 'tools', 'packages', 'package.json', 'tsconfig.json'])
      await cp(part, join(project, part), { recursive: true })
    await cp('package-lock.json', join(workspace, 'package-lock.json'))
    await symlink(resolve('node_modules'), join(workspace, 'node_modules'))
    await build()
  }, 60_000)
  afterAll(async () => await rm(workspace, { recursive: true }))

  const read = async (name: string) => await readFile(join(dist, name), 'utf8')

  /** Names of the packages with code in any bundled file. */
  async function bundled(): Promise<string[]> {
    const folder = await mkdtemp('node_modules/.cache-build-again-')
    const { outputs } = await bundle('src/main.ts', folder)
    await rm(folder, { recursive: true })
    const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs))
    const paths = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
    const names = paths.map(path => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
    return [...new Set(names.filter(name => name !== undefined))].sort()
  }

  // EVIDENCE-OF docs/guides/deployment.md: `/app/sbom.json`, CycloneDX 1.6: every package whose code is in the bundle, and Node.
  // EVIDENCE-OF docs/guides/deployment.md: The build fails for one that is not on the list in
  //   `packages/cli/build/third-party-notices.ts`
  test('lists every bundled package in the notices and in the bill of materials', async () => {
    const names = await bundled()
    expect(names).toContain('zod')
    const notices = await read('THIRD-PARTY-NOTICES.txt')
    const listed = [...notices.matchAll(/^-{80}\n\n(\S+) \S+\nLicence: \S/gm)].map(([, name]) => name)
    expect([...new Set(listed)].sort()).toEqual([...names, ...COPIED].sort())
    const { components } = JSON.parse(await read('sbom.json'))
    const inBill = components.map(
      ({ group, name }: Record<string, string>) => (group ? `${group}/` : '') + name,
    )
    expect([...new Set(inBill)].sort()).toEqual([...names, ...COPIED, 'node'].sort())
  })

  test('maps our own sources line by line, and no library', async () => {
    const names = (await readdir(dist, { recursive: true })).filter(name => name.endsWith('.map'))
    const maps = await Promise.all(names.map(async name => JSON.parse(await read(name))))
    expect(maps.flatMap(({ sources }) => sources)).toContainEqual(expect.stringMatching(/graph\/graph\.ts$/))
    // Line by line, libraries would take 5 MB more.
    expect(JSON.stringify(maps).length).toBeLessThan(1_000_000)
  })

  // EVIDENCE-OF docs/guides/deployment.md: `/app/sbom.json`, CycloneDX 1.6: every package whose code is in the bundle, and Node.
  // EVIDENCE-OF docs/guides/deployment.md: All else works there as in a folder of its own.
  test('writes a CycloneDX bill of materials that names Node, the commit and its time', async () => {
    const text = await read('sbom.json')
    expect(await new JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull()
    const { metadata, components } = JSON.parse(text)
    expect(metadata.timestamp).toBe('2023-11-14T22:13:20.000Z')
    expect(metadata.component.properties).toEqual([{ name: 'git:commit', value: COMMIT }])
    expect(components).toContainEqual(
      expect.objectContaining({ name: 'node', version: process.versions.node, type: 'platform' }),
    )
  })

  // EVIDENCE-OF docs/guides/deployment.md: The labels `org.opencontainers.image.revision` and `created`, and
  //   `agent-task-service.lockfile`; commit, its time and the lockfile's digest (`unknown` if an agent builds without one) also
  //   in `/app/origin.json`
  test('says where it comes from: the commit, its time, and the digests it was built with', async () => {
    const lockfile = createHash('sha256')
      .update(await readFile('package-lock.json'))
      .digest('hex')
    expect(JSON.parse(await read('origin.json'))).toEqual({
      version: JSON.parse(await readFile('package.json', 'utf8')).version,
      commit: COMMIT,
      time: '2023-11-14T22:13:20.000Z',
      lockfile: `sha256:${lockfile}`,
      node: process.versions.node,
    })
  })

  test('the bill has the version of copied code, and what needs it', async () => {
    const { components, dependencies } = JSON.parse(await read('sbom.json'))
    const { version } = await import('unpdf/pdfjs')
    expect(components).toContainEqual(expect.objectContaining({ name: 'pdfjs-dist', version }))
    const unpdf = components.find(({ name }: Record<string, string>) => name === 'unpdf')
    const needs = dependencies.find(({ ref }: Record<string, string>) => ref === unpdf['bom-ref'])
    expect(needs.dependsOn).toContain(`pdfjs-dist@${version}`)
  })

  // EVIDENCE-OF docs/guides/deployment.md: The build fails for one that is not on the list in
  //   `packages/cli/build/third-party-notices.ts`
  // EVIDENCE-OF docs/reference/threat-model.md: A licence that is not on the list fails the build.
  test('fails on a package under another licence, with its name', async () => {
    const folder = join(project, 'vendored', 'node_modules', 'copyleft')
    await cp('node_modules/ms', folder, { recursive: true })
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ ...manifest, name: 'copyleft', version: '1.2.3', license: 'AGPL-3.0-only' }),
    )
    const entry = join(project, 'src/main.ts')
    await writeFile(
      entry,
      `${await readFile(entry, 'utf8')}\nprocess.title = (await import(${JSON.stringify(join(folder, 'index.js'))})).default(1)\n`,
    )
    await expect(build()).rejects.toThrow(
      /expected licences of .*MIT.*, got\n\s+copyleft 1\.2\.3: AGPL-3\.0-only/,
    )
  })
})
