import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeTemplates } from '../../../scripts/agent-templates.ts'

test('an agent, whatever its name, is installed by npm, and no registry is asked for the packages that come with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'templates-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const offer = globSync('packages/*/package.json').map(path => {
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    return [manifest.name, { ...manifest, file: 'packed.tgz' }] as const
  })
  await writeTemplates(folder, new Map(offer))
  const templates = readdirSync(folder)
  expect(templates).toContain('full')
  for (const template of templates) {
    const read = (name: string) => readFileSync(join(folder, template, name), 'utf8')
    expect(JSON.parse(read('package.json')).engines).toHaveProperty('yarn', 'use npm, see README.md')
    expect(read('_npmrc')).toMatch(/^@agent-task-service:registry=none$/m)
    expect(read('_yarnrc.yml')).toMatch(/^ {2}agent-task-service:$/m)
  }
})
