import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { textOf } from './documents.ts'

interface Locked {
  readonly link?: boolean
  readonly integrity?: string
}

test('every package is locked with its digest', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> }
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  expect(installed.length).toBeGreaterThan(100)
  const loose = installed.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))
  expect(loose.map(([path]) => path)).toEqual([])
})

test('every dependency has an exact version', () => {
  const versions = globSync('{package.json,packages/*/package.json}').flatMap(path => {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(textOf(path))
    return Object.entries<string>({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
      ...peerDependencies,
    })
  })
  expect(versions.length).toBeGreaterThan(10)
  expect(versions.filter(([, version]) => !/^(npm:\S+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})

test('the image installs what is locked, and runs no install scripts', () => {
  const installs = textOf('Dockerfile').match(/^RUN npm .*$/gm) ?? []
  expect(installs).toEqual([expect.stringMatching(/^RUN npm ci --ignore-scripts\b/)])
})
