import { BESIDE, groups, runChecks, sentences } from '@agent-task-service/rehearsal/checks'
import { expect, test } from 'vitest'
import { faultsBySentence } from './faulty-agents/faults-by-sentence.ts'
import { isOf } from './faulty-agents/rows.ts'

/** Shown by faults of processes and of images, or the platform's part. */
const ELSEWHERE =
  /^(rule\.(port|container|secrets)|staging\.|limits\.|events\.|headers\.none|health\.timeout)/

test('every assertion has its own id and cites one sentence; every sentence is held by some, or says why not', async () => {
  const end = () => new Promise<never>(() => {})
  const log = { name: 'the log', read: async () => '' }
  const report = await runChecks({
    url: 'http://127.0.0.1:9',
    token: 'of-nobody',
    agentId: 'agent-7',
    image: 'none',
    long: true,
    start: { readyMs: 1, log, secrets: new Map(), outsideUrls: ['http://x'], end },
    startStalled: () => Promise.reject(new Error('not needed')),
    signal: AbortSignal.abort(),
  })
  const assertions = report.groups.flatMap(group => group.assertions)
  expect(new Set(assertions.map(({ id }) => id)).size).toBe(assertions.length)
  for (const group of report.groups)
    for (const { id } of group.assertions) expect(id).toMatch(new RegExp(`^${group.id}\\.[a-z0-9_]+$`))
  const known: readonly string[] = [...groups, ...assertions].map(({ id }) => id)
  for (const { id, says, checks, also, unseen } of sentences) {
    const held = [...checks, ...also]
    if (checks.length > 0) expect(id, says).toMatch(/^[a-z_]+(\.[a-z0-9_]+)?$/)
    expect(held.length > 0, says).toBe(unseen === undefined)
    expect(
      held.filter(check => !known.includes(check)),
      says,
    ).toEqual([])
  }
  for (const { id, why } of assertions) {
    const sentence = sentences.find(one => why.endsWith(` (${one.id})`))!
    expect(isOf(sentence.checks, id), id).toBe(true)
  }
  // The platform's part is not here.
  const here = Object.keys(BESIDE).filter(id => id !== 'metrics.platform_totals')
  expect(here.filter(id => !known.includes(id))).toEqual([])
  const cited = sentences.flatMap(({ checks }) => checks)
  expect(new Set(cited).size).toBe(cited.length)
  expect(assertions.filter(({ id }) => !isOf(cited, id)).map(({ id }) => id)).toEqual([])
})

test('two faults at least prove each sentence that a caller can see', () => {
  const lacking = sentences.filter(({ id = '', unseen, open }) => {
    if (unseen !== undefined || open || ELSEWHERE.test(id)) return false
    return Object.keys(faultsBySentence[id] ?? {}).length < 2
  })
  expect(lacking.map(({ says }) => says)).toEqual([])
})
