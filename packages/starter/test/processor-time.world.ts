import { calculate } from '@agent-task-service/starter/calculator'
import { answerTime, type TimeArguments } from '@agent-task-service/starter/time'
import { some } from '@agent-task-service/test-support/at-length'
import { cpuMsOf } from '@agent-task-service/test-support/cpu-time'
import { describe, expect, test } from 'vitest'
import { typedRows } from '../code/typed-rows.ts'
import { tablesIn } from '../table/find-tables.ts'
import { tableOf } from '../table/table.ts'
import { HOSTILE, longOf } from './hostile-expressions.ts'

/** Processor time, in milliseconds; the least of several tries: without what else the machine was doing. */
async function leastMsOf(work: () => unknown, most: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 10 && least >= most; tries++) least = Math.min(least, await cpuMsOf(work))
  return least
}

describe('calculator', () => {
  const outcome = (expression: string) => calculate(expression).catch(({ message }: Error) => message)

  test('a list of 1,000 numbers takes less than 50 ms of processor time', async () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => ((index * 7_919) % 1_000) / 8)
    expect(await leastMsOf(() => outcome(`std([${numbers.join(', ')}])`), 50)).toBeLessThan(50)
  })

  // EVIDENCE-OF docs/reference/threat-model.md: | | An expression or a date never finishes |
  test('what nobody would type takes less than 50 ms of processor time each', async () => {
    const functions = /Functions: (.*?)\./.exec(await outcome('qqqqqqqq(1)'))![1]!.split(', ')
    const extremes = ['19!', '-19!', '1e4999', '1e-4999', '1e300', '1e999+1/3', '(1/3)^99']
    const calls = functions.flatMap(name =>
      extremes.flatMap(value => [`${name}(${value})`, `${name}(${value}, 1/3)`]),
    )
    const many = functions.map(name => longOf(`${name}(1/7)+`))
    const slow: string[] = []
    for (const expression of [...HOSTILE, ...calls, ...many]) {
      const least = await leastMsOf(() => outcome(expression), 50)
      if (least >= 50) slow.push(`${least} ms: ${expression.slice(0, 60)}`)
    }
    expect(slow).toEqual([])
  })
})

describe('tables', () => {
  const read = (text: string) => tablesIn(text).map(found => typedRows(tableOf(found)))

  // EVIDENCE-OF docs/reference/threat-model.md: | | An expression or a date never finishes |
  test.each(
    some<[string, string]>(
      [
        ['10^6 columns', `${','.repeat(500_000)}\n${','.repeat(500_000)}`],
        ['quotes that never end', `a,x\n${'"p,1\n'.repeat(200_000)}`],
        ['quotes inside', `a,x\n${'"p"q",1\n'.repeat(100_000)}`],
        ['quotes only', '"'.repeat(1_000_000)],
        ['white space', `a,x\n${' '.repeat(500_000)},${' '.repeat(500_000)}`],
        ['one long number', `a,x\n1,${'1'.repeat(900_000)}`],
        ['pipes', `|a|b|\n|--|--|\n${'|'.repeat(900_000)}`],
        ['dashes', `a | b\n${'-'.repeat(500_000)}|${'- '.repeat(200_000)}x`],
        ['lines of fences', '```\n'.repeat(200_000)],
        ['footnotes', `a,x\n1,${'['.repeat(900_000)}`],
        ['many tables', 'a,x\n1,2\n\n'.repeat(100_000)],
      ],
      3,
    ),
  )('a hostile text is cheap: %s', async (_, text) => {
    expect(await leastMsOf(() => read(text), 1_000)).toBeLessThan(1_000)
  })

  test('a megabyte of rows takes less than two seconds', async () => {
    const rows = Array.from({ length: 60_000 }, (_, at) => `r${at % 50},${at}.25 €,x`)
    const text = ['region,amount,y', ...rows].join('\n').slice(0, 2 ** 20)
    expect(await leastMsOf(() => read(text), 2_000)).toBeLessThan(2_000)
  })
})

// EVIDENCE-OF docs/reference/threat-model.md: | | An expression or a date never finishes |
test('time: no text keeps the processor busy', async () => {
  const parts = '1| |-|a|1 |(|[|1:|a day |march |+1|,|at |1 day |\u0301|0+'.split('|')
  for (const part of parts) {
    for (const length of [50, 80, 100, 50_000]) {
      const long = part.repeat(length).slice(0, length)
      const work = async () => {
        for (const member of ['time', 'duration', 'zone']) {
          const args = { operation: 'add', time: 'now', duration: '1 day', zone: 'UTC', [member]: long }
          await answerTime(args as TimeArguments, 0).catch(() => {})
        }
      }
      expect(await leastMsOf(work, 150), `${part} times ${length}`).toBeLessThan(150)
    }
  }
})
