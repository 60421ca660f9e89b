import { ToolError } from '@agent-task-service/engine/tool'
import { calculate } from '@agent-task-service/starter/calculator'
import { answerTime, type TimeArguments } from '@agent-task-service/starter/time'
import { holds } from '@agent-task-service/test-support/holds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimal } from '../code/decimal.ts'
import { typedRows } from '../code/typed-rows.ts'
import { tablesIn } from '../table/find-tables.ts'
import { tableOf } from '../table/table.ts'
import { PIECES } from './hostile-expressions.ts'

/** What the calculator or the clock answers, or the message of its `ToolError`; anything else thrown fails the test. */
const outcome = (answer: Promise<string>) =>
  answer.catch((error: unknown) => {
    expect(error).toBeInstanceOf(ToolError)
    return (error as ToolError).message
  })

test('calculator: gives text or a ToolError when put together at random', async () => {
  const expressions = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 100 })
  const answered = fc.asyncProperty(expressions, async pieces => {
    const expression = pieces.join('').slice(0, 1000)
    expect(await outcome(calculate(expression))).not.toMatch(/\b(NaN|undefined|null)\b/)
  })
  await holds(2_000, answered)
})

test('time: random texts, as any member, give an answer or a ToolError', async () => {
  const pieces =
    '2026 - : 03 T pm Z + [ ] ( P 1 D March , / 99 London EST UTC \u0000 é \u{1f600} now today minus week . Etc/GMT \\ $'
  const piece = fc.constantFrom(' ', ...pieces.split(' '))
  const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map(parts => parts.join(''))
  const one = fc.record({
    operation: fc.constantFrom('now', 'convert', 'difference', 'add'),
    time: fc.oneof(text, fc.constant('now')),
    end: fc.oneof(text, fc.constant('today')),
    duration: fc.oneof(text, fc.constant('1 month')),
    zone: fc.oneof(text, fc.constant('Paris')),
    to_zones: fc.oneof(text, fc.constant('UTC')).map(zone => [zone]),
  })
  const MEMBERS = { now: [], convert: ['time'], difference: ['time', 'end'], add: ['time', 'duration'] }
  const answered = fc.asyncProperty(one, async ({ operation, zone, to_zones, ...others }) => {
    const own = Object.entries(others).filter(([name]) => MEMBERS[operation].includes(name as never))
    const zones = operation === 'difference' ? { zone } : { zone, to_zones }
    const args = { operation, ...zones, ...Object.fromEntries(own) }
    await outcome(answerTime(args as TimeArguments, Date.parse('2026-11-20T12:00:00Z')))
  })
  await holds(1_000, answered)
})

describe('any table', () => {
  const read = (text: string) => typedRows(tableOf(tablesIn(text)[0]!))
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('', '1,234.5', '1.234,5', '5 kg', '$3', '-7', '(8)', '"', '|', '\n', 'n/a', '1e99'),
    fc.integer().map(String),
  )
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

  test('of whatever cells: each row is data, or is told to be left out', async () => {
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 30 })
    await holds(
      100,
      fc.property(rows, rows => {
        const lines = rows.map(row => row.map(quoted).join())
        const [found] = tablesIn(['```', 'k,x', ...lines, '```'].join('\n'))
        const { data, leftOut } = tableOf(found!)
        const all = [...data, ...leftOut.flatMap(({ rows }) => rows)]
        expect(all.toSorted((one, other) => one - other)).toEqual(rows.map((_, at) => at))
        const told = typedRows(tableOf(found!)).notes.join('\n')
        for (const { why, rows } of leftOut)
          if (rows.length > 0) expect(told).toContain(`${rows.length} ${why}`)
      }),
    )
  })

  test('of cents: the sum is exact', async () => {
    const cents = fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 2, maxLength: 200 })
    await holds(
      100,
      fc.property(cents, cents => {
        const written = cents.map(cent => {
          const digits = `${Math.abs(cent)}`.padStart(3, '0')
          return `${cent < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
        })
        const { rows } = read(['id;x', ...written.map((cell, at) => `r${at};${cell}`)].join('\n'))
        const { value, exact } = decimal('sum', JSON.stringify(rows.map(({ x }) => `${x}`)))
        expect(Math.round(Number(value ?? exact) * 100)).toBe(cents.reduce((total, cent) => total + cent))
      }),
    )
  })
})
