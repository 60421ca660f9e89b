import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { followGuide, readSection } from '@agent-task-service/test-support/guide'

const DOCUMENTS = [
  { title: 'Oak', url: 'https://trees.example/oak', text: 'Oaks live for a thousand years.' },
  { title: 'Birch', url: 'https://trees.example/birch', text: 'Birches live for a hundred years.' },
]
const SUBAGENT = `
  { name: 'counter', does: 'Counts words.', systemPrompt: 'Count.', tools: ['text_stats'] },`

/** Makes what the README of each template says to change first. */
export async function takeFirstStep(template: string, folder: string): Promise<void> {
  const replace = (path: string, from: string, to: string) => {
    const file = join(folder, path)
    const [head, tail, ...more] = readFileSync(file, 'utf8').split(from)
    if (tail === undefined || more.length > 0) throw new Error(`${path}: expected once: ${from}`)
    writeFileSync(file, `${head}${to}${tail}`)
  }
  const subagents = 'SUBAGENTS = ['
  if (template === 'supervisor') replace('graph/graph.ts', subagents, `${subagents}${SUBAGENT}`)
  else
    replace(`graph/${template === 'full' ? 'prompts' : 'graph'}.ts`, 'Answer the', 'As a pirate, answer the')
  if (template !== 'rag') return await followGuide(await readSection('tools.md', 'A first tool'), folder)
  writeFileSync(join(folder, 'tools/documents.json'), JSON.stringify(DOCUMENTS))
}
