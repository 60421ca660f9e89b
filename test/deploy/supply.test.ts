import { globSync } from 'node:fs'
import { dependenciesIn } from '@agent-task-service/test-support/dependencies'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
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

// EVIDENCE-OF README.md: pnpm and Yarn stop at once, and no registry is asked for this project's packages, which nobody owns there.
test('other package managers stop, and none asks a registry for what nobody owns there', () => {
  // No version of them is this one; each quotes it.
  const instead = 'use npm, see README.md'
  expect(JSON.parse(textOf('package.json')).engines).toEqual({ pnpm: instead, yarn: instead })
  const [, address] = /^@agent-task-service:registry=(.*)$/m.exec(textOf('.npmrc')) ?? []
  const { npmScopes, ...settings } = parse(textOf('.yarnrc.yml'))
  expect(npmScopes).toEqual({ 'agent-task-service': { npmRegistryServer: address } })
  // A name that is no URL is refused without a request, and without the minute that npm waits for one.
  expect(URL.canParse(address!)).toBe(false)
  expect(settings).toEqual({ install_with_npm_see_README: true })
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
