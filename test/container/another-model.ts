/**
 * Changes a clone of the project, argv[2], as docs/guides/graph.md describes for another provider's chat class, and by a tool with a file
 * beside it, a folder of its own and an alias.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { followGuide, readSection } from '@agent-task-service/test-support/guide'

const clone = process.argv[2]!
await followGuide(await readSection('graph.md', "Use another provider's chat class"), clone)

const write = (path: string, text: string) => writeFileSync(join(clone, path), text)
mkdirSync(join(clone, 'lib'))
write('lib/up.ts', 'export const up = (text: string) => text.toUpperCase()\n')
write('tools/prices.json', '{ "PEAR": "4 euros" }\n')
write('tools/.env', 'SECRET=1\n')
write(
  'tools/price.ts',
  `import { readFileSync } from 'node:fs'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { up } from '@/lib/up.js'

const prices = JSON.parse(readFileSync(new URL('./prices.json', import.meta.url), 'utf8'))

export const price = tool(({ name }) => prices[up(name)], {
  name: 'price', description: 'Says a price.', schema: z.object({ name: z.string() }), metadata: { readOnlyHint: true },
})
`,
)
appendFileSync(join(clone, 'tools/registry.ts'), "export { price } from './price.ts'\n")
const config = readFileSync(join(clone, 'tsconfig.json'), 'utf8')
write('tsconfig.json', config.replace('"types":', '"paths": { "@/*": ["./*"] },\n    "types":'))
