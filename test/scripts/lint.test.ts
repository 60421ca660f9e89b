import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

/** What `npm test` says of a project with this file: its exit code and its output. */
async function lint(code: string): Promise<{ code: number; output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'lint-'))
  onTestFinished(async () => await rm(folder, { recursive: true }))
  await copyFile('biome.json', join(folder, 'biome.json'))
  await copyFile('scripts/lint.sh', join(folder, 'lint.sh'))
  await writeFile(join(folder, 'own.ts'), code)
  const PATH = [resolve('node_modules/.bin'), process.env.PATH].join(delimiter)
  return await new Promise(done =>
    execFile('sh', ['lint.sh'], { cwd: folder, env: { PATH } }, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    ),
  )
}

test('fails on an error, and only tells of another format', async () => {
  expect(await lint("export const one = 'a'\n")).toMatchObject({
    code: 0,
    output: expect.not.stringContaining('format'),
  })
  const otherFormat = await lint('export const one = "a";\n')
  expect(otherFormat).toMatchObject({ code: 0, output: expect.stringContaining('npm run format') })
  const error = await lint("import { a } from './a.ts'\nexport const one = 'a'\n")
  expect(error).toMatchObject({ code: 1, output: expect.stringContaining('noUnusedImports') })
})
