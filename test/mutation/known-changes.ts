/**
 * Makes each change of changes.ts in a copy of the project, and says which test fails: `node test/mutation/known-changes.ts`.
 * Words choose those whose names begin with one of them. Ends with code 1 if a change makes no test fail.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Change, changes } from './changes.ts'

interface Report {
  readonly testResults: readonly {
    /** Why the file could not be loaded. */
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

const ROOT = resolve(import.meta.dirname, '../..')
const NOT_COPIED = ['node_modules', '.git', '.stryker', 'dist', 'agent-rehearsal']
/** A change that makes tests hang shall not take long. */
const TIME_LIMIT_MS = 30_000
const BUILT = ['.cache', '.vite', '.vite-temp', '.vitest-cache']
const CONFIGS: readonly [ending: string, config: string][] = [
  ['.test.ts', 'vitest.config.ts'],
  ['.world.ts', 'test/world.config.ts'],
  ['.faults.ts', 'test/faults.config.ts'],
]

/**
 * What is installed is linked file by file: through a link of the folder, Node would find the original's packages in place of the
 * copy's. What tests build there is not shared.
 */
async function copyProject(folder: string): Promise<void> {
  for (const name of await readdir(ROOT))
    if (!NOT_COPIED.includes(name)) await cp(join(ROOT, name), join(folder, name), { recursive: true })
  execFileSync('cp', ['-al', join(ROOT, 'node_modules'), folder])
  for (const built of BUILT) await rm(join(folder, 'node_modules', built), { recursive: true, force: true })
}

/**
 * Runs test files of one suite in the copy: the titles of tests that fail.
 *
 * @param bail how many may fail before the rest is left out; 0: any number. Left out in the midst of tests that run at once, the
 *   one that failed may not be told
 */
async function failuresIn(folder: string, files: readonly string[], bail = 1): Promise<string[]> {
  const report = join(folder, 'report.json')
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', configOf(files[0]!)]
  const options = [
    `--bail=${bail}`,
    `--testTimeout=${TIME_LIMIT_MS}`,
    '--reporter=json',
    `--outputFile=${report}`,
  ]
  const { status } = spawnSync(process.execPath, [...vitest, ...options, ...files], {
    cwd: folder,
    // Any case may be the one that sees the change; properties show it in few.
    env: { ...process.env, AT_LENGTH: 'yes', PROPERTY_TIMES: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status === 0) return []
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(test => test.status === 'failed')
  if (failed.length === 0 && bail > 0) return await failuresIn(folder, files, 0)
  if (failed.length === 0)
    throw new Error(`no test failed, but vitest did: ${testResults.map(({ message }) => message).join('')}`)
  return failed.map(({ fullName }) => fullName)
}

/** What comes of a change, as a line. */
async function tried(folder: string, { name, file, text, becomes, seenBy }: Change): Promise<string> {
  const path = join(folder, file)
  const whole = await readFile(path, 'utf8')
  const parts = whole.split(text)
  if (parts.length !== 2)
    return `BROKEN ${name}: expected this once in ${file}, got it ${parts.length - 1} times: ${text}`
  await writeFile(path, parts.join(becomes))
  try {
    const [failure] = await failuresIn(folder, [seenBy])
    return failure === undefined ? `GREEN  ${name}: ${seenBy}` : `red    ${name}: ${failure}`
  } catch (error) {
    return `BROKEN ${name}: ${(error as Error).message}`
  } finally {
    await writeFile(path, whole)
  }
}

function configOf(file: string): string {
  const config = CONFIGS.find(([ending]) => file.endsWith(ending))?.[1]
  if (config === undefined) throw new Error(`expected a file of tests, got ${file}`)
  return config
}

const say = (line: string) => void process.stdout.write(`${line}\n`)
const words = process.argv.slice(2)
const chosen = changes.filter(({ name }) => words.length === 0 || words.some(word => name.startsWith(word)))
await mkdir(join(ROOT, '.stryker'), { recursive: true })
const folder = await mkdtemp(join(ROOT, '.stryker/changes-'))
try {
  await copyProject(folder)
  for (const files of Map.groupBy(new Set(chosen.map(({ seenBy }) => seenBy)), configOf).values()) {
    const [failure] = await failuresIn(folder, files)
    if (failure !== undefined) throw new Error(`without a change, this fails already: ${failure}`)
  }
  let seen = 0
  for (const change of chosen) {
    const line = await tried(folder, change)
    if (line.startsWith('red')) seen += 1
    say(line)
  }
  say(`${seen} of ${chosen.length} changes make a test fail`)
  process.exitCode = seen === chosen.length ? 0 : 1
} finally {
  await rm(folder, { recursive: true })
}
