import { replaceRegion } from '@agent-task-service/cli/documents'
import { isAtLength, seedsOf } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { askedSeed } from '@agent-task-service/test-support/random'
import { expect, test } from 'vitest'
import { drawnHonest } from './faulty-agents/drawn-honest.ts'
import { drawnOf, kinds } from './faulty-agents/drawn-kinds.ts'
import { each } from './faulty-agents/each.ts'
import { examine } from './faulty-agents/examine.ts'
import { assertionsOf } from './faulty-agents/expect.ts'
import { faulty } from './faulty-agents/faulty-agent.ts'

const HOUR_MS = 60 * 60_000
/** Shares of what the contract denies, and of what is caught of that, over all kinds. */
const [LEAST_CAUGHT, LEAST_NAMED] = [0.95, 0.9]

async function found({ kind, seed }: { kind: string; seed: number }) {
  const { does, change, Base, thinkMs, isOpen, isVaried, names } = drawnOf(kind, seed)
  const report = await examine({ does, Agent: faulty(change, Base), settings: { thinkMs } })
  const isCaught = report.verdict !== 'passed'
  const isNamed = names.test(report.cause ?? '')
  const what = `${kind}, seed ${seed}${isVaried ? ', varied' : ''}: ${does}`
  const failed = assertionsOf(report).filter(({ verdict, mandatory }) => mandatory && verdict !== 'pass')
  const ids = failed.map(({ id }) => id).join(' ')
  const line = `${isOpen ? '(open) ' : ''}${isCaught ? (isNamed ? 'named' : 'caught') : 'missed'}: ${what}: ${report.cause ?? ''} [${ids}]`
  return { kind, isOpen, isCaught, isNamed: isCaught && isNamed, line }
}

type Found = Awaited<ReturnType<typeof found>>

function countsOf(all: readonly Found[]) {
  const denied = all.filter(one => !one.isOpen)
  const caught = denied.filter(one => one.isCaught)
  return { denied: denied.length, caught: caught.length, named: caught.filter(one => one.isNamed).length }
}

function rowOf(title: string, all: readonly Found[]): string {
  const { denied, caught, named } = countsOf(all)
  return `| ${[title, all.length, denied, caught, denied - caught, named].join(' | ')} |`
}

test('faulty agents that are drawn by kind are caught, and the first line names their fault', {
  timeout: HOUR_MS,
}, async () => {
  const titles = Object.keys(kinds)
  const drawn = titles.flatMap(kind => seedsOf(30, 2).map(seed => ({ kind, seed })))
  const all = await fakeTime().until(each(drawn, found))
  const rows = titles.map(title =>
    rowOf(
      title,
      all.filter(({ kind }) => kind === title),
    ),
  )
  const table = [
    '| drawn faults | | denied by the contract | caught | missed | first line names it |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    rowOf('all', all),
  ].join('\n')
  process.stderr.write(
    `${table}\n${all
      .map(({ line }) => line)
      .toSorted()
      .join('\n')}\n`,
  )
  if (!isAtLength || askedSeed !== undefined) return
  replaceRegion('reference/acceptance-checks.md', 'drawn', table)
  const { denied, caught, named } = countsOf(all)
  expect(caught / denied).toBeGreaterThanOrEqual(LEAST_CAUGHT)
  expect(named / caught).toBeGreaterThanOrEqual(LEAST_NAMED)
})

test('honest agents that are drawn are never blamed', { timeout: HOUR_MS }, async () => {
  const blames = await fakeTime().until(
    each(seedsOf(100, 5), async seed => {
      const { does, Agent, thinkMs } = drawnHonest(seed)
      const report = await examine({ does, Agent, settings: { thinkMs } })
      const others = assertionsOf(report).filter(({ verdict, mandatory }) => mandatory && verdict !== 'pass')
      return others.slice(0, 2).map(({ id, detail }) => `seed ${seed}: ${does}: ${id}: ${detail}`)
    }),
  )
  expect(blames.flat()).toEqual([])
})
