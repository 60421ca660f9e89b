import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { copiesWith } from './copies.ts'
import * as edits from './edits.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

test('every edit compiles with the project, without casts', async () => {
  const root = await copiesWith(edits)
  onTestFinished(() => rm(root, { recursive: true }))
  const tsconfig = {
    extends: join(ROOT, 'tsconfig.json'),
    // Unused code after an edit is the linter's business.
    compilerOptions: {
      noUnusedLocals: false,
      noUnusedParameters: false,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: Object.keys(edits).flatMap(name => [`${name}/graph`, `${name}/tools/registry.ts`]),
  }
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '--noEmit', '-p', root]).catch(
    error => error,
  )
  expect(stdout).toBe('')
}, 300_000)
