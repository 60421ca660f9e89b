import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CreatedAgent, post } from './agent.ts'
import { takeFirstStep } from './first-step.ts'

/** Where `.ci/created` has made an agent of each template. */
const CREATED = process.env.CREATED!
const STUDIO_PORT = 8123

describe.each(readdirSync(CREATED).sort())('an agent of the template %s', template => {
  const agent = new CreatedAgent(join(CREATED, template))

  test('has what serves it from its own folder, not from a registry', () => {
    const { packages } = JSON.parse(agent.read('package-lock.json'))
    const ours = Object.entries<{ resolved?: string }>(packages).filter(([path]) =>
      path.includes('node_modules/@agent-task-service/'),
    )
    expect(ours.length).toBeGreaterThan(4)
    for (const [, { resolved }] of ours) expect(resolved).toMatch(/^file:packages\//)
    // So that npm does not even ask.
    const { dependencies, overrides } = JSON.parse(agent.read('package.json'))
    const names = Object.keys(dependencies).filter(name => name.startsWith('@agent-task-service/'))
    expect(overrides).toMatchObject(Object.fromEntries(names.map(name => [name, `$${name}`])))
  })

  // EVIDENCE-OF README.md: pnpm and Yarn stop at once, and no registry is asked for this project's packages, which nobody owns there.
  test('no registry is asked for it', async () => {
    await expect(agent.run('npm', 'view', '@agent-task-service/engine')).rejects.toThrow('ERR_INVALID_URL')
    expect(agent.read('.yarnrc.yml')).toContain('agent-task-service')
    const { engines } = JSON.parse(agent.read('package.json'))
    expect(engines).toEqual({ pnpm: expect.stringContaining('npm'), yarn: expect.stringContaining('npm') })
  })

  test('the pages and files that AGENTS.md names are there', () => {
    const links = [...agent.read('AGENTS.md').matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)
    expect(links.filter(path => path.startsWith('node_modules/')).length).toBeGreaterThan(10)
    expect(links.filter(path => !existsSync(join(agent.folder, path)))).toEqual([])
  })

  test('no link of an installed page leads nowhere', () => {
    const engine = join(agent.folder, 'node_modules/@agent-task-service/engine')
    const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: engine })
    const dead = pages.flatMap(page => {
      const named = readFileSync(join(engine, page), 'utf8').matchAll(/\]\(([^)\s:#]+)(?=[)#])/g)
      return [...named]
        .map(([, path = '']) => join(engine, page, '..', path))
        .filter(path => !existsSync(path))
    })
    expect(pages.length).toBeGreaterThan(20)
    expect(dead).toEqual([])
  })

  test('a name of the engine leads to its source', () => {
    const engine = join(agent.folder, 'node_modules/@agent-task-service/engine')
    const maps = globSync('**/*.d.ts.map', { cwd: engine })
    const sources = maps.flatMap(map => {
      const { sources } = JSON.parse(readFileSync(join(engine, map), 'utf8')) as { sources: string[] }
      return sources.map(source => join(engine, map, '..', source))
    })
    expect(sources.length).toBeGreaterThan(100)
    expect(sources.filter(source => !existsSync(source))).toEqual([])
  })

  // EVIDENCE-OF README.md: An agent of your own, in under forty files, with the rest as packages:
  test('npm test passes: its types and its tests', async () => {
    expect(await agent.run('npm', 'test')).toMatch(/Tests .*[1-9]\d* passed/)
  })

  // EVIDENCE-OF docs/guides/workshop.md: Its tests still pass after what its README says to change first.
  test('npm test still passes after what its README says to change first', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'first-step-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const modules = join(agent.folder, 'node_modules')
    cpSync(agent.folder, folder, { recursive: true, filter: path => path !== modules })
    symlinkSync(modules, join(folder, 'node_modules'))
    await takeFirstStep(template, folder)
    expect(await new CreatedAgent(folder).run('npm', 'test')).toMatch(/Tests .*[1-9]\d* passed/)
  })

  // EVIDENCE-OF README.md: An agent of your own, in under forty files, with the rest as packages:
  // EVIDENCE-OF docs/guides/workshop.md: `node test/created/walk.ts` takes the way from an empty folder to passed acceptance checks.
  test('npm start answers the task of its README, in pieces too, refuses an unknown tool, and drains', async () => {
    const end = await agent.start()
    const { input } = agent.task
    expect(await post(agent.task)).toMatchObject({ status: 'success', output: /\S/ })
    const response = await fetch('http://127.0.0.1:8080/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ task_id: 'test-2', input }),
    })
    expect(await response.text()).toMatch(/event: run_finished\n.*\ndata: .*"status":"success"/)
    const refused = await post({ task_id: 'test-3', input, config: { enabled_tools: ['none-of-these'] } })
    expect(refused).toMatchObject({ status: 'error', error: expect.stringContaining('enabled_tools') })
    expect(await end()).toBe(0)
  })

  test('Studio runs the same graph', async () => {
    const end = await agent.startStudio(STUDIO_PORT)
    const client = new Client({ apiUrl: `http://127.0.0.1:${STUDIO_PORT}`, callerOptions: { maxRetries: 0 } })
    const input = { messages: [{ role: 'user', content: agent.task.input }] }
    const state = (await client.runs.wait(null, 'agent', { input })) as { messages: { content: unknown }[] }
    const inStudio = state.messages.at(-1)?.content
    expect(await end()).toBe(0)
    await agent.start()
    expect((await post(agent.task)).output).toBe(inStudio)
  })

  test('npm run staging:check passes', async () => {
    expect(await agent.run('npm', 'run', 'staging:check')).toMatch(/everything mandatory/i)
  })
})
