import { globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export interface Import {
  readonly from: string
  /** A path from the root for a file of the project; otherwise the specifier. */
  readonly to: string
}

/** Whether a path from the root is a test's, or a helper's of tests. */
export const isTest = (file: string): boolean =>
  /^test\/|^packages\/(?:[\w-]+\/test|create\/templates\/[\w-]+\/test|test-support)\//.test(file)

export const testFiles = globSync('{test,packages}/**/*.ts', { cwd: root, exclude: ['**/node_modules'] })
  .map(file => file.replaceAll('\\', '/'))
  .filter(isTest)

export const source = (file: string): string => readFileSync(resolve(root, file), 'utf8')

/** Everything a source imports: static, dynamic, re-exported, types included. A quoted 'from' is none. */
export function importsOf(file: string): Import[] {
  const code = source(file).replace(/^\s*(\/\/|\/?\*).*$/gm, '')
  const specifiers = [
    ...code.matchAll(/(?<!['"`])(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*(['"`])([^'"`\n]+)\1/g),
  ]
  return specifiers.map(([, , specifier = '']) => {
    const isFile = specifier.startsWith('.')
    return { from: file, to: isFile ? relative(root, resolve(root, dirname(file), specifier)) : specifier }
  })
}
