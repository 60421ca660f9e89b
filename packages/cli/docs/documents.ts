/** The documents that are made of an agent. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { AgentDefinition } from '@agent-task-service/engine'
import { declaredVariables } from '@agent-task-service/engine/config'
import { configTable } from './config-table.ts'
import { openApiDocument } from './openapi-document.ts'

export { configTable, openApiDocument }

const PAGE = 'configuration.md'
/** For a project that has none. */
const NEW_PAGE = `# Configuration

The agent's variables of the environment. \`npm run docs\` writes the tables.

<!-- configuration -->
<!-- /configuration -->
`

/** Writes the documents of the agent in the current folder. */
export function writeDocuments(agent: AgentDefinition): void {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  mkdirSync('docs', { recursive: true })
  writeFileSync('docs/openapi.json', `${JSON.stringify(openApiDocument(agent.context, manifest), null, 2)}\n`)
  if (!existsSync(`docs/${PAGE}`)) writeFileSync(`docs/${PAGE}`, NEW_PAGE)
  replaceRegion(PAGE, 'configuration', configTable(declaredVariables(agent)))
}

/**
 * Replaces what stands between `<!-- name -->` and `<!-- /name -->` in a page of `docs/` in the current folder.
 *
 * @throws {Error} if the marks are missing
 */
export function replaceRegion(page: string, name: string, content: string): void {
  const file = `docs/${page}`
  const text = readFileSync(file, 'utf8')
  const region = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*(<!-- /${name} -->)`)
  if (!region.test(text)) throw new Error(`expected a region ${name} in docs/${page}`)
  const updated = text.replace(region, (_, start: string, end: string) => `${start}${content}\n${end}`)
  writeFileSync(file, updated)
}
