import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const page = readFileSync('docs/guides/operations.md', 'utf8')
const [, rules = ''] = /```yaml\n([^`]+)```/.exec(page) ?? []
const alerts: { alert: string; expr: string; annotations: object }[] = parse(rules).groups[0].rules

/** The words in quotes after a label, or a name after `unwrap`. */
const wordsIn = (expr: string, pattern: RegExp) =>
  [...expr.matchAll(pattern)].flatMap(([, words = '']) => words.split('|'))

test.each(alerts)(
  '$alert asks for messages, levels and fields that the page lists',
  ({ expr, annotations }) => {
    for (const message of wordsIn(expr, /msg!?=~?"([^"]+)"/g)) expect(page).toContain(`\n| \`${message}\` |`)
    for (const level of wordsIn(expr, /level=~?"([^"]+)"/g))
      expect(page).toMatch(new RegExp(`^\\| [^|]*\`${level}\``, 'm'))
    for (const field of wordsIn(expr, /unwrap (\w+)/g)) expect(page).toContain(`\`${field}\``)
    expect(Object.keys(annotations)).toEqual(['summary'])
  },
)
