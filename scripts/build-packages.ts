/**
 * Builds the packages as they are installed elsewhere: JavaScript, declarations, source maps and sources, and a tarball of each, in
 * `dist/packages/`. In this repository nothing of it is needed: Node runs the sources.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { offerIn } from '../packages/cli/upgrade/offer.ts'
import { writeTemplates } from './agent-templates.ts'

const TYPESCRIPT = 'node_modules/@typescript/native/bin/tsc'
/** In an installed package: where maps lead to, and editors from a name to its definition. */
const SOURCES = 'sources'
/** Not installed elsewhere. */
const LEFT_OUT = 'packages/test-support'
/** Brings the pages about all of them. */
const ENGINE = 'packages/engine'
/** The pages about all packages. */
const PAGES = ['CHANGELOG.md', ...globSync('docs/{,guides/,reference/}*.md'), `${ENGINE}/README.md`]
/** Makes agents of all others, which it brings with it. */
const CREATE = 'packages/create'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly devDependencies?: unknown
}

/**
 * Empties a folder and builds the packages into it.
 *
 * @param say is told what begins; absent: nobody is
 * @returns paths of the tarballs
 */
export async function buildPackages(out: string, say: (step: string) => void = () => {}): Promise<string[]> {
  say('compiling the packages')
  rmSync(out, { recursive: true, force: true })
  run(process.execPath, TYPESCRIPT, '--project', 'scripts/packages.tsconfig.json', '--outDir', out)
  const folders = globSync('packages/*/package.json')
    .map(dirname)
    .filter(folder => folder !== LEFT_OUT && folder !== CREATE)
  say('packing them')
  const tarballs = pack(folders, out)
  const brought = join(out, basename(CREATE), 'packages')
  for (const tarball of tarballs) cpSync(tarball, join(brought, basename(tarball)))
  say('putting the templates together')
  await writeTemplates(join(out, basename(CREATE), 'templates'), offerIn(out))
  return [...tarballs, ...pack([CREATE], out)]
}

/** @returns paths of the tarballs */
function pack(folders: readonly string[], out: string): string[] {
  const built = folders.map(folder => complete(folder, join(out, basename(folder))))
  const names = run('npm', 'pack', '--silent', '--pack-destination', out, ...built).trim()
  return names.split('\n').map(name => join(out, name))
}

function run(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/**
 * Adds to the compiler's output what else belongs to the package.
 *
 * @returns the folder of it
 */
function complete(folder: string, out: string): string {
  for (const path of filesOf(folder)) {
    const isSource = /\.tsx?$/.test(path) || path.startsWith('pages/')
    cpSync(join(folder, path), join(out, isSource ? SOURCES : '', path))
  }
  for (const page of folder === ENGINE ? PAGES : [`${folder}/README.md`]) copyPage(page, dirname(out))
  for (const map of globSync(`${out}/**/*.map`)) leadToSources(map, folder, out)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(installed(manifest), null, 2)}\n`)
  return out
}

/** Paths in a package's folder, but for its tests, and for what templates are made of. */
function filesOf(folder: string): string[] {
  const exclude = ['test', 'node_modules', ...(folder === CREATE ? ['agent', 'templates'] : [])]
  return globSync('**/*.*', { cwd: folder, exclude }).filter(path => path !== 'package.json')
}

/** Copies a page into its package. Links lead to where pages are installed; of one that leads to no such page the words stay. */
function copyPage(page: string, packages: string): void {
  const to = placeOf(page)
  const text = readFileSync(page, 'utf8').replaceAll(
    /!?\[([^\]]*)\]\(([^)\s:#]+)(#[^)\s]*)?\)/g,
    (_, words: string, path: string, heading = '') => {
      const target = join(dirname(page), path)
      if (!PAGES.includes(target)) return words
      return `[${words}](${relative(dirname(to), placeOf(target))}${heading})`
    },
  )
  mkdirSync(dirname(join(packages, to)), { recursive: true })
  writeFileSync(join(packages, to), text)
}

/** Where a page is installed, among the packages. */
function placeOf(page: string): string {
  return relative('packages', page.startsWith('packages/') ? page : join(ENGINE, page))
}

function leadToSources(map: string, folder: string, out: string): void {
  const content = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }
  content.sources = content.sources.map(source => {
    const path = relative(folder, join(dirname(map), source))
    return relative(dirname(map), join(out, SOURCES, path))
  })
  writeFileSync(map, JSON.stringify(content))
}

/** Doors lead to what the compiler made. */
function installed({ private: _, devDependencies: _dev, exports, bin, ...manifest }: Manifest) {
  const doors = Object.entries(exports).map(([door, source]) => {
    const path = source.replace(/\.ts$/, '')
    return [door, path === source ? source : { types: `${path}.d.ts`, default: `${path}.js` }]
  })
  const commands = Object.entries(bin ?? {}).map(([name, path]) => [name, path.replace(/\.ts$/, '.js')])
  return {
    ...manifest,
    exports: Object.fromEntries(doors),
    ...(bin && { bin: Object.fromEntries(commands) }),
  }
}

if (import.meta.main)
  for (const tarball of await buildPackages('dist/packages', step => process.stderr.write(`${step} …\n`)))
    process.stdout.write(`${tarball}\n`)
