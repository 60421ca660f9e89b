import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyProject, followGuide, type GuideBlock, readGuide } from '../support/guide.ts'

const run = promisify(execFile)
const files: string[] = []
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'guides-'))
  await copyProject(root, ['package.json', 'tsconfig.json', 'biome.json'])
  const sections = Map.groupBy(await readGuide('graph.md'), ({ section }) => section)
  const examples = [...sections.values(), await readGuide('tools.md')]
  for (const [index, blocks] of examples.entries()) await follow(blocks, String(index))
}, 60_000)
afterAll(() => rm(root, { recursive: true }))

async function follow(blocks: readonly GuideBlock[], name: string): Promise<void> {
  await copyProject(join(root, name), ['src', 'graph', 'tools'])
  await followGuide(blocks, join(root, name))
  const code = blocks.filter(({ path }) => path.endsWith('.ts'))
  files.push(...new Set(code.map(({ path }) => join(name, path))))
}

test('the code of the guides is written as that of the project', async () => {
  const biome = join(root, 'node_modules/.bin/biome')
  const { stdout } = await run(biome, ['check', '--error-on-warnings', ...files], { cwd: root }).catch(
    ({ stdout, stderr }) => Promise.reject(new Error(`${stdout}${stderr}`)),
  )
  expect(stdout).toContain(`Checked ${files.length} files`)
}, 120_000)

test('the code of the guides passes the compiler', () => {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} }
  const config = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.json'), {}, host)
  const paths = files.map(file => join(root, file))
  const program = ts.createProgram(paths, config?.options ?? {})
  // The rest of each copy is checked with the project.
  const problems = paths.flatMap(path => ts.getPreEmitDiagnostics(program, program.getSourceFile(path)))
  const said = problems.map(({ file, messageText }) => {
    return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
  expect(said).toEqual([])
  expect(config?.options.strict).toBe(true)
}, 120_000)
