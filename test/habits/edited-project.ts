/**
 * Run by `.ci/run`: the tests, in a copy of the project with more tools, as docs/tools.md describes, and another
 * prompt.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_SYSTEM_PROMPT } from '../../graph/prompts.ts'
import { copyProject, followGuide, readGuide } from '../support/guide.ts'

const LEFT_OUT = ['.git', 'node_modules', 'dist', '.langgraph_api']
const PROMPT = 'You are a pirate who completes one task. Answer as a pirate would, and use your tools, matey!'

const folder = await mkdtemp(join(tmpdir(), 'edited-project-'))
try {
  const paths = (await readdir('.')).filter(name => !LEFT_OUT.includes(name))
  await copyProject(folder, paths)
  await followGuide(await readGuide('tools.md'), folder)
  const prompts = join(folder, 'graph/prompts.ts')
  const [first] = DEFAULT_SYSTEM_PROMPT.split('. ')
  const [before, after] = (await readFile(prompts, 'utf8')).split(`${first}.`)
  if (after === undefined) throw new Error(`expected ${JSON.stringify(first)} in graph/prompts.ts`)
  await writeFile(prompts, `${before}${PROMPT}${after}`)
  // The tests of the graph as shipped are for its owner to change.
  await rm(join(folder, 'test/own'), { recursive: true })
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]
  const tests = spawn(process.execPath, args, { cwd: folder, stdio: 'inherit' })
  const [code] = await once(tests, 'exit')
  process.exitCode = code ?? 1
} finally {
  await rm(folder, { recursive: true })
}
