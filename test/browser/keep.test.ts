import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { newFile } from '../staging/new-file.ts'
import { finished } from '../staging/records.ts'
import { overhangOf, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'

test('shows what a model call was sent, and keeps the run as a test', async ({ open }) => {
  const keepFolder = await newFile('recordings')
  const { url, store } = await startRehearsal({ keepFolder })
  const messages = [
    { role: 'system', text: 'Be brief.' },
    { role: 'user', text: 'What is 6 times 7?' },
  ]
  const answer = { role: 'assistant', text: '', tool_calls: [{ id: 'c', name: 'time', arguments: '{}' }] }
  const usage = { input_tokens: 5, output_tokens: 2, cost_usd: 0.002, cut: false, tool_calls: ['time'] }
  const run = finished({
    ...{ wallMs: 40, output: 'It is 42.' },
    events: [
      { type: 'model_started', data: { at: 0.1, step: 1, model: 'm', sent: { follows: 0, messages } } },
      { type: 'model_finished', data: { at: 0.2, step: 1, model: 'm', ...usage, answer } },
      { type: 'run_finished', data: { at: 0.3, cost_usd: 0.002 } },
    ],
  })
  store.runs.add(run)
  const page = await open(`${url}/#/runs/1`, { width: 390, expected: /400/ })
  const result = page.getByRole('region', { name: 'Result' })
  expect(await result.locator('.tile', { hasText: 'Cost' }).innerText()).toContain('$0.002')
  expect(await result.locator('.tile', { hasText: 'Reported' }).innerText()).toContain(
    'beyond the wall clock',
  )
  await page.getByText('Model call 1 · m').click()
  await page.getByText('Called time.').waitFor()
  await page.getByText('Sent 2 messages').click()
  await page.getByRole('group', { name: 'Message 1 of step 1, system' }).getByText('Be brief.').waitFor()

  await page.getByText('Keep as test').click()
  expect(await page.getByLabel('Name').inputValue()).toBe('what-is-6-times-7')
  expect(await page.getByLabel('Expected').inputValue()).toBe('It is 42.')
  await page.getByLabel('The answer').selectOption('states the number')
  await page.getByLabel('Expected').fill('forty-two')
  await page.getByRole('button', { name: 'Keep', exact: true }).click()
  await page.getByRole('alert').getByText('expected a number').waitFor()
  await page.getByLabel('Expected').fill('42')
  expect(await violationsOn(page)).toEqual([])
  await page.getByRole('button', { name: 'Keep', exact: true }).click()
  await page.getByText('npm test replays').waitFor()
  expect(await overhangOf(page)).toBe(0)
  expect(await readFile(join(keepFolder, 'tasks.yaml'), 'utf8')).toContain('number: 42')
  expect(await readFile(join(keepFolder, 'what-is-6-times-7.json'), 'utf8')).toContain('"userMessage"')
})
