import { execFile } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { followGuide, readGuide, readSection } from '@agent-task-service/test-support/guide'
import { expect, test } from 'vitest'
import { CreatedAgent, post } from './agent.ts'

/** The template that the guides begin with, and the packages of a later version. */
const { CREATED = '', LATER = '' } = process.env
const agent = new CreatedAgent(join(dirname(CREATED), 'edited'))

const PROMPT = "Answer the task with the result itself, in plain text, briefly, in the task's language."
const OWN_TEST = `
import { testService } from '@agent-task-service/engine/testing'
import { expect, test } from 'vitest'
import { agent } from '../src/agent.ts'

test('counts words', async () => {
  const { run } = await testService(agent)
  const { output } = await run('Use text_stats with {"text": "to be or not to be"}')
  expect(output).toContain('6')
})
`
/** What an owner changes by themselves, besides what the guides say: a text, and what stands in its place. */
const EDITS: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'graph/prompts.ts': [PROMPT, 'You are a pirate who completes one task. Answer as a pirate would.'],
  'tasks.yaml': [
    'tasks:\n',
    'tasks:\n  - { name: ours, input: What is 6 times 7?, expect: { number: 42 } }\n',
  ],
  '.env.example': ['# SIGNING_KEY=', '# SIGNING_KEY='],
  Dockerfile: ['ENV NODE_ENV=production', 'ENV NODE_ENV=production TZ=Europe/Berlin'],
  'package.json': ['"scripts": {', '"scripts": {\n    "ours": "node -p 42",'],
  'README.md': ['# ', '# Our own '],
  'AGENTS.md': ['# ', '# Our own '],
  'langgraph.json': ['"node_version": "24",', '"node_version": "24",\n  "pip_installer": "auto",'],
}

/** The version of the packages in a folder. */
const versionIn = (folder: string) => /-([\d.]+)\.tgz$/.exec(readdirSync(folder)[0]!)![1]!

/** A new tool, one with a secret, one with side effects, a client of nodes, a setting of a run, and the edits above. */
async function edit(): Promise<void> {
  await followGuide(await readGuide('tools.md'), agent.folder)
  for (const section of ['Give nodes a client of your own', 'Add a setting of your own'])
    await followGuide(await readSection('graph.md', section), agent.folder)
  for (const [path, [from, to]] of Object.entries(EDITS)) {
    const text = agent.read(path)
    expect([path, text.split(from).length > 1 || path === '.env.example']).toEqual([path, true])
    writeFileSync(join(agent.folder, path), text.replace(from, to))
  }
  // It says what the model is told without that setting.
  rmSync(join(agent.folder, 'test/system-prompt.test.ts'))
  writeFileSync(join(agent.folder, 'test/words.test.ts'), OWN_TEST)
}

async function git(...args: string[]): Promise<string> {
  return await agent.run('git', '-c', 'user.name=owner', '-c', 'user.email=owner@example.com', ...args)
}

// EVIDENCE-OF README.md: `graph/`, `tools/` and `src/` are their owner's, some 350 lines.
// EVIDENCE-OF docs/guides/upgrading.md: In an agent that `npm run create` has made, it is one command.
test('an upgrade changes nothing that is its owner’s, and what they have made works with it', async () => {
  await promisify(execFile)('cp', ['-a', join(CREATED, 'full'), agent.folder])
  await edit()
  await git('init', '--quiet')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'Our agent')
  const [before, version] = [versionIn(join(agent.folder, 'packages')), versionIn(LATER)]
  expect(await agent.run('npx', 'agent', 'upgrade', LATER)).toContain(`${before} → ${version}: `)
  const changed = (await git('status', '--short', '--untracked-files=all')).trimEnd().split('\n')
  expect(
    changed
      .map(line => line.slice(3).replace(/^packages\/.*/, 'packages'))
      .filter(unique)
      .sort(),
  ).toEqual(['package-lock.json', 'package.json', 'packages'])
  const { dependencies, scripts } = JSON.parse(agent.read('package.json'))
  expect(scripts.ours).toBe('node -p 42')
  expect(Object.values(dependencies).join()).not.toContain(`-${before}.tgz`)
  expect(await agent.run('npm', 'ls', '@agent-task-service/engine')).not.toContain(`engine@${before}`)
  await agent.run('npm', 'test')
  const end = await agent.start()
  expect(await post({ task_id: 'test-1', input: 'Use text_stats with {"text": "to be"}' })).toMatchObject({
    status: 'success',
    output: expect.stringContaining('2'),
  })
  expect(await end()).toBe(0)
})

const unique = <Value>(value: Value, index: number, all: readonly Value[]) => all.indexOf(value) === index
