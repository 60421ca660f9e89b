/**
 * Run by `.ci/run`: `npm test`, in a copy of the project that an owner has made theirs. It has tools and a client of their own, as
 * the guides describe, another prompt, a setting, a variable, more packages, and changes wherever a page of docs/ asks for one.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyProject, followGuide, readGuide, readSection } from '@agent-task-service/test-support/guide'
import { apply, type Edit } from './edit.ts'

const LEFT_OUT = ['.git', 'node_modules', 'dist', '.langgraph_api']

const run = promisify(execFile)

/** What owners install. */
const PACKAGES = [
  '@langchain/langgraph-supervisor',
  '@langchain/langgraph-swarm',
  'langchain',
  '@langchain/cohere',
  '@langchain/exa',
  '@langchain/groq',
  '@langchain/mcp-adapters',
  '@langchain/mistralai',
  '@langchain/tavily',
]

const PROMPT = 'You are a pirate who completes one task. Answer as a pirate would, and use your tools, matey!'
const FIRST_SENTENCE =
  "Answer the task with the result itself, in plain text, briefly, in the task's language."

/** Besides what the guides say. */
const edit: Edit = {
  files: {
    'NOTES.md': 'Ask Ann before a release.\n',
    'docs/our-runbook.md': '# Our runbook\n\nRead [the notes](../NOTES.md) first.\n',
    'mcp.json': '{ "mcpServers": {} }\n',
  },
  changes: {
    'graph/prompts.ts': [[FIRST_SENTENCE, PROMPT]],
    'graph/state.ts': [
      ['  audience: z', "  language: z.enum(['English', 'German']).default('English'),\n  audience: z"],
    ],
    '.env.example': ['# SIGNING_KEY='],
    // As npm writes it by itself.
    'package.json': [['"openai": "', '"openai": "^']],
    // For code that starts programs.
    Dockerfile: [['"--permission", ', '']],
    'deploy/kubernetes.yaml': [
      ['image: agent-task-service:', 'image: registry.example.com/our-agent:'],
      ['  egress:\n', '  egress:\n    - ports:\n        - { port: 11434, protocol: TCP }\n'],
    ],
    'langgraph.json': [['|^http://', '|^https://chat\\\\.example\\\\.org$|^http://']],
  },
  tasks: [],
}

const folder = await mkdtemp(join(tmpdir(), 'edited-project-'))
const npm = async (...args: string[]) => await run('npm', args, { cwd: folder })
try {
  const paths = (await readdir('.')).filter(name => !LEFT_OUT.includes(name))
  await copyProject(folder, paths)
  await rm(join(folder, 'node_modules'))
  await followGuide(await readGuide('tools.md'), folder)
  await followGuide(await readSection('graph.md', 'Give nodes a client of your own'), folder)
  await followGuide(await readSection('graph.md', 'Add a setting of your own'), folder)
  await apply(edit, folder)
  await npm('install', ...PACKAGES)
  await npm('run', 'docs')
  // Only these tests are for their owner to change.
  await rm(join(folder, 'test/own'), { recursive: true })
  const tests = spawn('npm', ['test', '--', ...process.argv.slice(2)], { cwd: folder, stdio: 'inherit' })
  const [code] = await once(tests, 'exit')
  process.exitCode = code ?? 1
} finally {
  await rm(folder, { recursive: true })
}
