import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What the compiler says of files in a folder, by the project's own settings; empty if they compile. */
export async function compile(folder: string, include: readonly string[]): Promise<string> {
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    // Unused code is the linter's business.
    compilerOptions: {
      noUnusedLocals: false,
      noUnusedParameters: false,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include,
    exclude: [],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(ROOT, 'node_modules/@typescript/native/bin/tsc')
  return new Promise(done => {
    execFile(process.execPath, [tsc, '--noEmit', '-p', folder], (error, stdout, stderr) => {
      done(error ? `${error.message}\n${stdout}${stderr}` : '')
    })
  })
}
