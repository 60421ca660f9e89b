import type { AgentView } from '@agent-task-service/rehearsal/api'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { expect } from 'vitest'
import { runTask, test } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'

test('shows an agent that does not answer as unavailable, and why', async ({ open }) => {
  const rehearsal = await startRehearsal()
  const poll = async () => await rehearsal.call('/api/agents/agent-7/health', { method: 'POST' })
  while (((await (await poll()).json()) as AgentView).failuresInARow < 4);
  const page = await open(rehearsal.url)
  const card = page.getByRole('article', { name: 'agent-7' })
  await card.getByText('unavailable', { exact: true }).first().waitFor()
  await card.getByText('4 of 4 failed').waitFor()
  await card.getByRole('status').getByText('Failed, 4 times in a row: ').waitFor()
  await card.getByRole('link', { name: 'Run a task' }).click()
  await page.getByRole('textbox', { name: 'Task', exact: true }).fill('What is 6 times 7?')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('group', { name: 'Error' }).getByText('has been unavailable since').waitFor()
})

test('says that the platform cannot be reached, and keeps showing what it knew', async ({ open }) => {
  const agent = await scriptedAgent(replies(id => success(id)))
  const rehearsal = await startRehearsal({ url: agent.url })
  const page = await open(rehearsal.url, { expected: /ERR_CONNECTION_REFUSED/ })
  await page.getByRole('heading', { name: 'agent-7' }).waitFor()
  await rehearsal.end()
  await page.getByRole('alert').getByText('cannot be reached').waitFor()
  expect(await page.getByRole('heading', { name: 'agent-7' }).isVisible()).toBe(true)
})

test('a run on an agent that refuses the connection is unreachable, and no violation', async ({ open }) => {
  const { url } = await startRehearsal({ url: `http://127.0.0.1:${await heldPort()}` })
  const page = await open(url)
  await page.getByRole('link', { name: 'Run a task on agent-7' }).click()
  await runTask(page, 'What is 6 times 7?')
  await page.getByText('Nothing accepted the connection').waitFor()
  await page.getByRole('group', { name: 'Error' }).getByText('the connection was refused').waitFor()
  await page.getByRole('link', { name: 'History' }).click()
  const row = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  await row.getByText('unreachable').waitFor()
  expect(await row.innerText()).not.toContain('violation')
})
