import { readFileSync } from 'node:fs'
import { groups } from '@agent-task-service/rehearsal/checks'
import { USAGE } from '@agent-task-service/rehearsal/command'
import { expectation, parseTasks } from '@agent-task-service/rehearsal/tasks'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../../docs/reference/acceptance-checks.md', import.meta.url), 'utf8')

/** The first column of the table with this head. */
function column(head: string): string[] {
  const [, table = ''] = page.split(`| ${head} |`)
  const rows = table.split('\n\n')[0]!.split('\n').slice(2)
  return rows.map(row => row.split(' | ')[0]!.replace(/^\| /, '').replaceAll('`', ''))
}

test('every option that it names is one of the command', () => {
  // Those in quotes are of other programs.
  const texts = page.replaceAll(/'[^'\n]*'/g, '')
  const named = [...texts.matchAll(/(?<=staging:check\b.*|`)--[a-z-]{2,}/g)].map(([option]) => option)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(option => !USAGE.includes(`  ${option}`))).toEqual([])
})

test("its exit codes are the command's", () => {
  const codes = [...(USAGE.split('Exit code:')[1] ?? '').matchAll(/\b(\d+) /g)].map(([, code]) => code)
  expect(column('exit code')).toEqual(codes)
})

test('its groups are the groups that run', () => {
  expect(column('group')).toEqual(groups.map(({ id }) => id))
})

test('its task file is valid, and its expectations follow the format', () => {
  const [, shown = ''] = page.split('```yaml\n')
  const { tasks } = parseTasks(shown.split('```')[0]!, 'acceptance-checks.md')
  const used = new Set(tasks.flatMap(task => Object.keys(task.expect)))
  const members = Object.keys(expectation.shape)
  expect([...used].sort()).toEqual(members.toSorted())
  expect(column('member').sort()).toEqual(members.toSorted())
})
