import { some } from '@agent-task-service/test-support/at-length'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { expect } from 'vitest'
import { finished } from '../records.ts'
import { overhangOf, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'
import { assertion, reportOf } from './report.ts'

const report = reportOf(
  ...(['pass', 'fail', 'not_run'] as const).flatMap(verdict => [
    assertion(verdict, verdict),
    assertion(`${verdict}-advice`, verdict, { mandatory: false }),
  ]),
)

/** A view by its address, and a text that shows it has loaded. */
const VIEWS = [
  { view: 'agents', hash: '#/', sign: 'available since' },
  { view: 'the form', hash: '#/run/agent-7', sign: 'For example' },
  { view: 'history', hash: '#/runs', sign: 'Errors by kind' },
  { view: 'a run', hash: '#/runs/3', sign: 'The reply follows the contract' },
  { view: 'a run that broke the contract', hash: '#/runs/2', sign: 'violation of the contract' },
  { view: 'two runs', hash: '#/runs/1/2', sign: 'Asked' },
  { view: 'two runs beside the form', hash: '#/run/agent-7?run=3&run=2', sign: 'Compare with run 2' },
  { view: 'checks', hash: '#/checks', sign: 'failed' },
  { view: 'a report', hash: '#/checks/1?at=run.fail', sign: 'How to see it' },
  { view: 'nowhere', hash: '#/runs/abc', sign: 'Page not found' },
] as const

const LOOKS = [
  { width: 390, theme: 'dark' },
  { width: 768, theme: 'light' },
  { width: 1440, theme: 'light' },
  { width: 1280, theme: 'dark' },
] as const

test.for(some(LOOKS, 2))(
  'no view has an accessibility violation ($width pixels, $theme)',
  async (look, { open }) => {
    const agent = await scriptedAgent(replies(id => success(id)))
    const rehearsal = await startRehearsal({ url: agent.url, runChecks: async () => report })
    const { store, url, call } = rehearsal
    for (const n of [1, 2, 3]) {
      const request = { task_id: `test-${n}`, input: 'What is 15% of 240?', config: { max_tokens: 100 } }
      const broken = { status: 'violation', reply: '{}', broken: ['status: expected one of three'] } as const
      const wallMs = n === 1 ? 31_000 : 40
      store.runs.add(finished({ wallMs, request: JSON.stringify(request), ...(n === 2 && broken) }))
    }
    await call('/api/agents/agent-7/checks', { method: 'POST' })

    const page = await open(url, look)
    const found: Record<string, string[]> = {}
    for (const { view, hash, sign } of VIEWS) {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
      await page.getByText(sign).first().waitFor()
      found[view] = await violationsOn(page)
      if ((await overhangOf(page)) > 0) found[view].push('wider than the window')
    }
    expect(Object.entries(found).filter(([, violations]) => violations.length > 0)).toEqual([])
  },
)

test('an address with more than its view has leads nowhere', async ({ open }) => {
  const { url, store } = await startRehearsal()
  for (const _ of [1, 2, 3]) store.runs.add(finished())
  const page = await open(url)
  for (const hash of ['#/runs/2/1/3', '#/checks/1/2', '#/run/agent-7/5', '#/runs/1/x']) {
    await page.evaluate(`location.hash = '#/'`)
    await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor()
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor({ timeout: 5_000 })
  }
})
