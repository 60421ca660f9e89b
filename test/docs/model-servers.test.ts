import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { kinds } from '../../packages/openai-compatible/test/strict-provider/kinds.ts'
import type { Manner } from '../../packages/openai-compatible/test/strict-provider/provider.ts'
import { quirks } from '../../packages/openai-compatible/test/strict-provider/quirks.ts'
import { modelServerTables } from '../../scripts/model-servers.ts'

test.each(Object.entries(modelServerTables()))(
  'docs/reference/model-servers.md is current, %s: npm run docs',
  (name, table) => {
    expect(readFileSync('docs/reference/model-servers.md', 'utf8')).toContain(
      `<!-- ${name} -->\n${table}\n<!-- /${name} -->`,
    )
  },
)

test('each habit of a server that the page names is one of the double, and of a kind of server', () => {
  for (const [member, options] of Object.entries(quirks))
    for (const option of Object.keys(options))
      expect(
        kinds.some(({ manner }) =>
          (manner[member as keyof Manner] as readonly string[] | undefined)?.includes(option),
        ),
        `${member}: ${option}`,
      ).toBe(true)
})
