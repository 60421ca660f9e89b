import { success } from '@agent-task-service/test-support/scripted-agent'
import { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import { expect } from 'vitest'
import { beginRun, overhangOf, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'

const asked = { tokens: 12, role: 'user', number: 3 }

test('shows what a model call read, by part, and what was new', async ({ open }) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(`${url}/#/run`, { width: 390, theme: 'dark' })
  const run = await beginRun(page, agent, 'What is 6 times 7?')
  const finish = { input_tokens: 50, output_tokens: 5, cut: false }
  const first = [
    { number: 1, role: 'system', tokens: 20, text: 'Be brief.' },
    { number: 2, role: 'tools', tokens: 30, text: '{"name":"calculator"}' },
    { ...asked, text: 'What is 6 times 7?' },
  ]
  run.send('model_started', { at: 0.1, step: 1, model: 'm', attempt: 1 })
  run.send('model_input', { at: 0.1, step: 1, messages: first })
  run.send('model_finished', { at: 0.2, step: 1, model: 'm', ...finish, tool_calls: ['calculator'] })
  run.send('model_started', { at: 0.3, step: 3, model: 'm', attempt: 1 })
  run.send('model_input', {
    ...{ at: 0.3, step: 3 },
    messages: [
      ...first.map(({ text: _, ...message }) => message),
      { number: 4, role: 'tool', tokens: 2, text: '<b>42</b>' },
    ],
  })
  run.send('model_finished', { at: 0.4, step: 3, model: 'm', ...finish, tool_calls: [] })
  run.finish(success(run.taskId, '42'))
  await page.getByRole('button', { name: 'Model call 3 · m' }).click()
  const read = page.getByRole('region', { name: 'What step 3 read' })
  const parts = read.getByRole('list', { name: 'Tokens by part' }).getByRole('listitem')
  expect(await parts.allInnerTexts()).toEqual(['System 20', 'Tools 30', 'Task 12', 'New 2'])
  expect(await read.getByRole('group', { name: 'Message 4 of step 3' }).innerText()).toBe('<b>42</b>')
  expect(await read.getByText('Be brief.').isVisible()).toBe(false)
  await read.getByText('system', { exact: true }).click()
  await read.getByText('Be brief.').waitFor()
  expect(await violationsOn(page)).toEqual([])
  expect(await overhangOf(page)).toBe(0)
})
