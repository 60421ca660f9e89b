import type { RecordedEvent } from '@agent-task-service/rehearsal/api'
import { success } from '@agent-task-service/test-support/scripted-agent'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { partsOf } from '../../pages/state/differences.ts'
import { finished } from '../records.ts'
import { overhangOf, runTask, test, violationsOn } from './dashboard-test.ts'
import { startOwnAgent } from './own-agent.ts'
import { startRehearsal } from './rehearsal.ts'

/** The steps of a run: a model call, the named tools, a model call. */
function stepsWith(tools: readonly (readonly [name: string, args: string])[]): RecordedEvent[] {
  const calls = [...tools.map(([name, args]) => ({ name, args })), undefined]
  return [
    { type: 'model_started', data: { at: 0, step: 1, model: 'm' } },
    { type: 'model_finished', data: { at: 1, step: 1, model: 'm', input_tokens: 9, output_tokens: 3 } },
    ...calls.flatMap((call, index): RecordedEvent[] => {
      const step = index + 2
      if (call === undefined) return [{ type: 'model_started', data: { at: 2, step, model: 'm' } }]
      const { name: tool, args } = call
      return [
        { type: 'tool_started', data: { at: 1, step, tool, arguments: args } },
        { type: 'tool_finished', data: { at: 2, step, tool, result: 'the same result' } },
      ]
    }),
  ]
}

const request = (config: object) => JSON.stringify({ task_id: 'test-1', input: 'What is it?', config })

async function rowsIn(page: Page, section: string): Promise<string[]> {
  const rows = page
    .getByRole('region', { name: section })
    .getByRole(section === 'Figures' ? 'row' : 'listitem')
  return (await rows.allInnerTexts()).map(text => text.replace(/\s+/g, ' ').trim())
}

test.for([
  [1440, 'light'],
  [390, 'dark'],
] as const)('two runs side by side show what changed, at %i pixels, %s', async ([width, theme], { open }) => {
  const { url, store } = await startRehearsal()
  const metrics = { duration_sec: 1, input_tokens: 100, output_tokens: 10, steps: 4 }
  store.runs.add(
    finished({
      request: request({ system_prompt: 'Be kind and brief.', max_tokens: 50 }),
      reply: JSON.stringify({ ...success('test-1', 'It is thirty-six today.'), metrics }),
      events: stepsWith([
        ['calculator', '{"e":"1"}'],
        ['time', '{}'],
      ]),
    }),
  )
  store.runs.add(
    finished({
      wallMs: 250,
      request: request({ system_prompt: 'Be brief.', max_tokens: 50, enabled_tools: ['calculator'] }),
      reply: JSON.stringify({
        ...success('test-1', 'It is 36 today.'),
        metrics: { ...metrics, output_tokens: 15 },
      }),
      events: stepsWith([
        ['calculator', '{"e":"2"}'],
        ['calculator', '{"e":"3"}'],
      ]),
    }),
  )
  const page = await open(`${url}/#/runs/1/2`, { width, theme })
  const asked = page.getByRole('region', { name: 'Asked' })
  await asked.getByText('The same in both: Agent, Task, max_tokens.').waitFor()
  expect(await asked.getByRole('group', { name: 'Task of both' }).innerText()).toBe('What is it?')
  expect(await asked.locator('del').allInnerTexts()).toEqual(['kind and '])
  expect(await asked.getByText('Not given').count()).toBe(1)
  const answer = page.getByRole('region', { name: 'Answer' })
  expect(await answer.locator('del').allInnerTexts()).toEqual(['thirty-six'])
  expect(await answer.locator('ins').allInnerTexts()).toEqual(['36'])
  expect(await rowsIn(page, 'Figures')).toEqual([
    expect.stringMatching(/Run 1 Run 2 Change$/),
    'Wall clock 0.10 s 0.25 s +0.15 s (+150%)',
    ...['Reported 1 s 1 s same', 'Tokens in 100 100 same', 'Tokens out 10 15 +5 (+50%)'],
    ...['Steps 4 4 same', 'Cost – – same'],
  ])
  expect(await rowsIn(page, 'Steps')).toEqual([
    ...['Run 1 Run 2', '1 · m 9 → 3 tokens · 1 s 1 · m 9 → 3 tokens · 1 s'],
    '2 · calculator 1 s 2 · calculator 1 s',
    ...['3 · time 1 s Not in run 2', 'Not in run 1 3 · calculator 1 s'],
    '4 · m no end 4 · m no end',
  ])
  await page.getByText('2 · calculator').first().click()
  expect(await page.getByRole('group', { name: 'The arguments of run 2' }).innerText()).toBe('{"e":"2"}')
  expect(await page.getByRole('group', { name: 'The result of' }).count()).toBe(0)
  expect(await violationsOn(page)).toEqual([])
  expect(await overhangOf(page)).toBe(0)

  await page.getByRole('link', { name: 'The other way round' }).click()
  await page.getByRole('heading', { name: 'Runs 2 and 1' }).waitFor()
  await answer.locator('del').getByText('36', { exact: true }).waitFor()
})

test('a task that is run again with other tools is compared with its first run', async ({ open }) => {
  const agent = await startOwnAgent()
  const { url } = await startRehearsal(agent)
  const page = await open(`${url}/#/run/agent-7`)
  await runTask(page, 'What is 15% of 240?')
  await page.getByRole('group', { name: 'Output' }).getByText('15% of 240 = 36').waitFor()
  await page.getByRole('link', { name: 'Edit and run' }).click()
  await page.getByText('Options').click()
  await page.getByLabel('Tools').fill('none')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const second = page.getByRole('region', { name: 'Run 2', exact: true })
  await second.getByRole('group', { name: 'Error' }).waitFor()
  await second.getByRole('link', { name: 'Compare with run 1' }).click()
  await page.getByRole('region', { name: 'Asked' }).getByText('[]').waitFor()
  expect(await page.getByRole('heading', { name: /^Run [12]$/ }).allInnerTexts()).toEqual(['Run 1', 'Run 2'])
})

test('what two runs have in common is said once, and a run that is not there is an error', async ({
  open,
}) => {
  const { url, store } = await startRehearsal()
  for (const output of ['the same', 'the same']) store.runs.add(finished({ output }))
  const page = await open(`${url}/#/runs/1/2`, { expected: /404/ })
  await page.getByText('Both were asked the same.').waitFor()
  expect(await page.getByText('the same', { exact: true }).count()).toBe(1)
  await page.getByText('Neither run has steps on record').waitFor()
  await page.goto(`${url}/#/runs/1/9`)
  await page.getByText('no run with number 9').waitFor()
})

test('two long texts, or two that have nothing in common, have no marks', () => {
  const words = (seed: number) =>
    Array.from({ length: 5_000 }, (_, index) => `w${(index * seed) % 9973}`).join(' ')
  expect(partsOf([words(3), words(7)])).toBeUndefined()
  expect(partsOf(['a '.repeat(1e6), 'b '.repeat(1e6)])).toBeUndefined()
  expect(partsOf(['', 'all new'])).toEqual([[], [{ text: 'all new', isOwn: true }]])
})

test('two runs of the history are picked, on any page, and compared, the earlier first', async ({ open }) => {
  const { url, store } = await startRehearsal()
  for (let n = 1; n <= 60; n += 1) store.runs.add(finished({ output: `answer ${n}` }))
  const page = await open(`${url}/#/runs`, { width: 390 })
  await page.getByLabel('Compare run 60').check()
  await page.getByText('Run 60 is picked. Pick another to compare.').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  expect(await page.getByLabel('Compare run 60').isChecked()).toBe(false)
  await page.getByLabel('Compare run 58').press('Space')
  await page.getByLabel('Compare run 59').check()
  await page.getByRole('link', { name: 'Next page' }).click()
  await page.getByLabel('Compare run 3', { exact: true }).check()
  // The first pick makes room.
  const link = page.getByRole('link', { name: 'Compare runs 3 and 59' })
  await link.waitFor()
  expect(await violationsOn(page)).toEqual([])
  expect(await overhangOf(page)).toBe(0)
  await link.click()
  await page.getByRole('group', { name: 'The answer of run 59' }).getByText('59').waitFor()
})
