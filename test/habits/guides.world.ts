import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyProject, followGuide, readGraphGuides, readGuide } from '@agent-task-service/test-support/guide'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compile } from './compile.ts'

const run = promisify(execFile)
const files = new Set<string>()
let root: string

describe("the guides' code", () => {
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'guides-'))
    await copyProject(root, ['graph', 'src', 'tools', 'package.json', 'biome.json'])
    const blocks = [...(await readGuide('tools.md')), ...(await readGraphGuides())]
    for (const [index, block] of blocks.entries()) {
      // Each section has its own graph; everything else fits together.
      const path = block.path === 'graph/graph.ts' ? `graph/graph-${index}.ts` : block.path
      if (path !== block.path) await cp(join(root, block.path), join(root, path))
      await followGuide([{ ...block, path }], root)
      if (path.endsWith('.ts')) files.add(path)
    }
  }, 60_000)
  afterAll(() => rm(root, { recursive: true }))

  test("follows the project's format", async () => {
    const biome = join(root, 'node_modules/.bin/biome')
    const { stdout, stderr } = await run(biome, ['check', '--error-on-warnings', ...files], {
      cwd: root,
    }).catch(({ stdout, stderr }) => Promise.reject(new Error(`${stdout}${stderr}`)))
    expect(`${stdout}${stderr}`).toContain(`Checked ${files.size} files`)
  }, 120_000)

  test('compiles', async () => {
    expect(await compile(root, [...files])).toBe('')
  }, 120_000)
})
