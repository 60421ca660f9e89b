import { globSync } from 'node:fs'
import { dependenciesIn } from '@agent-task-service/test-support/dependencies'
import { expect, test } from 'vitest'
import { textOf } from './documents.ts'

interface Locked {
  readonly link?: boolean
  readonly integrity?: string
}

// EVIDENCE-OF docs/reference/threat-model.md: Pin the base image by digest.
test('every package is locked with its digest', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> }
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  expect(installed.length).toBeGreaterThan(100)
  const loose = installed.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))
  expect(loose.map(([path]) => path)).toEqual([])
})

// Those of the project itself are its owner's: test/own/as-shipped.test.ts.
// EVIDENCE-OF docs/reference/threat-model.md: Digests in the lockfile, exact versions, no install scripts
test('every dependency has an exact version', () => {
  const dependencies = globSync('packages/*/package.json').flatMap(path => dependenciesIn(textOf(path)))
  expect(dependencies.length).toBeGreaterThan(10)
  expect(dependencies.filter(({ isExact }) => !isExact)).toEqual([])
})

// EVIDENCE-OF docs/reference/threat-model.md: Pin the base image by digest.
test('the image installs what is locked, and runs no install scripts', () => {
  const installs = textOf('Dockerfile').match(/^RUN npm .*$/gm) ?? []
  expect(installs).toEqual([expect.stringMatching(/^RUN npm ci --ignore-scripts\b/)])
})
