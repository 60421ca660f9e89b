import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesOf, manifestOf, newAgent, pack, SCOPE, upgrade, write } from './upgraded-agent.ts'

// EVIDENCE-OF docs/guides/upgrading.md: It sets all packages to that one version, adds those that they need besides, installs them,
//   and says what has changed since yours: what was removed in full, of the rest how much the changelog has.
test('takes all packages to one version, with what they need besides, and says what changed', async () => {
  const engine = 'file:packages/agent-task-service-engine-0.2.0.tgz'
  const agent = newAgent({
    dependencies: { [`${SCOPE}engine`]: engine, [`${SCOPE}merged`]: 'file:packages/x.tgz', zod: '^4.0.0' },
    devDependencies: { [`${SCOPE}engine`]: engine, parser: '5.0.0' },
    overrides: { [`${SCOPE}merged`]: `$${SCOPE}merged`, left: '1.0.0' },
  })
  const lock = {
    lockfileVersion: 3,
    packages: { '': {}, 'node_modules/zod': {}, [`node_modules/${SCOPE}engine`]: { integrity: 'x' } },
  }
  write(join(agent, 'package-lock.json'), JSON.stringify(lock))
  for (const [name, version] of Object.entries({ zod: '4.6.0', parser: '5.0.0' }))
    write(join(agent, `node_modules/${name}/package.json`), JSON.stringify({ version }))
  const later = pack('0.3.0', {
    engine: { [`${SCOPE}wire`]: '0.3.0', zod: '4.7.0', parser: '4.1.0' },
    wire: {},
    unused: {},
  })
  const { code, stdout } = await upgrade(agent, later)
  expect(code).toBe(0)
  const file = (name: string) => `file:packages/agent-task-service-${name}-0.3.0.tgz`
  expect(manifestOf(agent)).toEqual({
    name: 'a',
    dependencies: { [`${SCOPE}engine`]: file('engine'), zod: '4.7.0', [`${SCOPE}wire`]: file('wire') },
    devDependencies: { [`${SCOPE}engine`]: file('engine'), parser: '5.0.0' },
    overrides: { left: '1.0.0', [`${SCOPE}engine`]: `$${SCOPE}engine`, [`${SCOPE}wire`]: `$${SCOPE}wire` },
  })
  expect(readFileSync(join(agent, 'package.json'), 'utf8')).toMatch(/^\{\n\t"name": "a",\n/)
  expect(globSync('packages/*', { cwd: agent }).sort()).toEqual(
    ['engine', 'wire'].map(name => file(name).slice('file:'.length)),
  )
  // What npm finds there without a digest, it takes as it is.
  const { packages } = JSON.parse(readFileSync(join(agent, 'package-lock.json'), 'utf8'))
  expect(Object.keys(packages)).toEqual(['', 'node_modules/zod'])
  expect(stdout).toBe(`0.2.0 → 0.3.0: ${SCOPE}engine, ${SCOPE}wire
as they need it, zod ^4.0.0 → 4.7.0
parser stays at 5.0.0, a copy of your own beside the packages' 4.1.0
${SCOPE}merged is no package of 0.3.0: it is no longer in package.json

node_modules/${SCOPE}engine/CHANGELOG.md has 1 removed, 2 added.

Removed:
- The tool \`abacus\`.

Now run "npm test". Where a name has changed, it says so; node_modules/${SCOPE}engine/docs/guides/upgrading.md lists them.
`)
  const files = filesOf(agent)
  expect((await upgrade(agent, later)).stdout).toContain('\n\nThat is the version which was there before.\n')
  expect(filesOf(agent)).toEqual(files)
  // The packages that it has are an offer, too.
  expect((await upgrade(agent, 'packages')).code).toBe(0)
  expect(filesOf(agent)).toEqual(files)
})
