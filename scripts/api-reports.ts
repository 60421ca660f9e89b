/**
 * What each package offers by its doors: a page each in `docs/api/`. As a script it updates the pages; with `--released` it also
 * keeps what they say as that of a release, for later versions to be compared with.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Manifest, type PackageApi, packageApi } from './api/package-api.ts'
import { offersOf, type Release } from './api/versions.ts'

const TYPESCRIPT = 'node_modules/@typescript/native/bin/tsc'
const FOLDER = 'docs/api'
const RELEASED = `${FOLDER}/released.json`

export interface Report {
  readonly name: string
  readonly version: string
  readonly path: string
  readonly text: string
  readonly offers: readonly string[]
}

/** Of each package that is installed elsewhere and has doors. */
export function apiReports(): Report[] {
  const built = mkdtempSync(join(tmpdir(), 'declarations-'))
  try {
    writeDeclarations(built)
    return globSync('packages/*/package.json')
      .sort()
      .flatMap(path => reportOf(path, join(built, basename(dirname(path)))))
  } finally {
    rmSync(built, { recursive: true })
  }
}

function writeDeclarations(folder: string): void {
  const only = ['--emitDeclarationOnly', '--declarationMap', 'false', '--sourceMap', 'false', '--noCheck']
  const project = ['--project', 'scripts/packages.tsconfig.json', '--outDir', folder]
  execFileSync(process.execPath, [TYPESCRIPT, ...project, ...only], { stdio: 'inherit' })
}

function reportOf(path: string, declarations: string): Report[] {
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Partial<Manifest> & Omit<Manifest, 'exports'>
  const { name, version, exports = {} } = manifest
  // A door in JavaScript exports nothing: it is imported for what it does.
  const doors = Object.fromEntries(Object.entries(exports).filter(([, file]) => file.endsWith('.ts')))
  if (Object.keys(doors).length === 0 || !existsSync(declarations)) return []
  const api = packageApi({ name, version, exports: doors }, declarations)
  const page = `${FOLDER}/${basename(dirname(path))}.md`
  return [{ name, version, path: page, text: pageOf(name, api), offers: offersOf(api) }]
}

function pageOf(name: string, { doors, unexported, imported, declarations }: PackageApi): string {
  const sections = [
    `# The API of ${name}`,
    'Written by `npm run docs`. A change here reaches whoever installs the package, and asks for [a version](../../CONTRIBUTING.md#versions).',
    ...Object.entries(doors).map(([door, names]) => listed(door, names)),
    listed('Not exported, but mentioned', unexported),
    listed('Of other packages', imported),
    `## Declarations\n\n\`\`\`ts\n${declarations.join('\n\n')}\n\`\`\``,
  ]
  return `${sections.filter(section => section !== '').join('\n\n')}\n`
}

function listed(title: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `## ${title}\n\n${names.map(name => `- \`${name}\``).join('\n')}`
}

export function readRelease(): Release {
  return JSON.parse(readFileSync(RELEASED, 'utf8')) as Release
}

/** What the packages offer now, for a release of it. */
function releaseOf(reports: readonly Report[]): Release {
  const offers = Object.fromEntries(reports.map(({ name, offers }) => [name, offers]))
  return { version: reports[0]!.version, offers }
}

if (import.meta.main) {
  const reports = apiReports()
  for (const page of globSync(`${FOLDER}/*.md`)) rmSync(page)
  for (const { path, text } of reports) writeFileSync(path, text)
  if (process.argv.includes('--released'))
    writeFileSync(RELEASED, `${JSON.stringify(releaseOf(reports), null, 2)}\n`)
}
