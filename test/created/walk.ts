/**
 * The way from an empty folder to a passed acceptance check, with an own prompt, an own tool and its secret: how long each step takes.
 * `node test/created/walk.ts [TEMPLATE]`, with port 8080 free. It installs from npm's registry.
 */
import { spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { followGuide, readSection } from '@agent-task-service/test-support/guide'
import { CreatedAgent } from './agent.ts'

const template = process.argv[2] ?? 'minimal'
const folder = join(mkdtempSync(join(tmpdir(), 'walk-')), 'my-agent')
// npm may be told in the environment how to reach its registry.
const agent = new CreatedAgent(folder, process.env)
const started = performance.now()

async function step(name: string, work: () => unknown): Promise<void> {
  const from = performance.now()
  await work()
  process.stdout.write(`${((performance.now() - from) / 1000).toFixed(1).padStart(6)} s  ${name}\n`)
}

const here = new CreatedAgent(process.cwd(), process.env)
await step('npm run create', () => here.run('npm', 'run', 'create', '--', folder, '--template', template))
await step('npm install', () => agent.run('npm', 'install'))
await step('a prompt, a tool with a secret and a task of its own', async () => {
  appendFileSync(join(folder, '.env'), 'SYSTEM_PROMPT=Answer as a pirate would.\nSHOP_API_KEY=letmein-4711\n')
  await followGuide(await readSection('tools.md', 'A tool that asks a service'), folder)
  const task = `  - { input: 'Use order_status with {"number": 7}', expect: { contains: [2027-03-01] } }\n`
  writeFileSync(join(folder, 'tasks.yaml'), readFileSync(join(folder, 'tasks.yaml'), 'utf8') + task)
})
const shop = spawn(process.execPath, ['shop.ts'], { cwd: folder, stdio: 'ignore' })
try {
  await step('npm test', () => agent.run('npm', 'test'))
  await step('npm run staging:check', () => agent.run('npm', 'run', 'staging:check'))
} finally {
  shop.kill()
  rmSync(dirname(folder), { recursive: true })
}
process.stdout.write(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  in all\n`)
