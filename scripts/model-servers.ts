/** The tables of docs/reference/model-servers.md, from those of the code and of its strict test double. As a script it updates the page. */

import { replaceRegion } from '@agent-task-service/cli/documents'
import { kinds } from '../packages/openai-compatible/test/strict-provider/kinds.ts'
import type { Kind, Rule } from '../packages/openai-compatible/test/strict-provider/provider.ts'
import { quirks } from '../packages/openai-compatible/test/strict-provider/quirks.ts'

/** The list and the tables in Markdown, by the name of their region in the page. */
export function modelServerTables(): Readonly<Record<string, string>> {
  return {
    servers: `${kinds.map(({ name }) => name).join(';\n')}.`,
    replies: table(['In replies', 'Of'], quirkRows()),
    requests: table(['Some take only requests with', 'The agent sends these'], ruleRows()),
  }
}

function quirkRows(): string[][] {
  return Object.entries(quirks).flatMap(([member, options]) =>
    Object.entries(options).map(([option, words]) => {
      const having = kinds.filter(({ manner }) =>
        (manner[member as keyof Kind['manner']] as readonly unknown[] | undefined)?.includes(option),
      )
      return [words, having.map(({ name }) => name).join('; ')]
    }),
  )
}

function ruleRows(): string[][] {
  const rules = kinds.flatMap(({ always, maybe }) => [...always, ...maybe])
  return [...new Map(rules.map(rule => [rule.name, wayOf(rule)]))].toSorted(([, a], [, b]) =>
    a.localeCompare(b),
  )
}

function wayOf({ costs: { refusals, per } }: Rule): string {
  if (refusals === 0) return 'always'
  return per === 'run' ? 'once refused, in that run' : 'once refused, in all runs'
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}

if (import.meta.main)
  for (const [name, content] of Object.entries(modelServerTables()))
    replaceRegion('reference/model-servers.md', name, content)
