import { open as openFile } from 'node:fs/promises'
import type { AgentView } from '@agent-task-service/rehearsal/api'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { expect } from 'vitest'
import { newFile } from '../new-file.ts'
import { finished } from '../records.ts'
import { overhangOf, runTask, test, violationsOn } from './dashboard-test.ts'
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

test('says on every page that the file of its records is lost, and goes on', async ({ open }) => {
  const file = await newFile('platform.db')
  const first = await startRehearsal({ file })
  for (let n = 0; n < 20; n += 1) first.store.runs.add(finished({ output: 'long '.repeat(1_000) }))
  await first.end()
  const handle = await openFile(file, 'r+')
  await handle.write(Buffer.alloc(40_000, 'x'), 0, 40_000, 8_192)
  await handle.close()
  const agent = await scriptedAgent(replies(id => success(id)))
  const { url } = await startRehearsal({ file, url: agent.url })
  for (const [width, hash] of [
    [1440, '#/runs'],
    [390, '#/run'],
  ] as const) {
    const page = await open(`${url}/${hash}`, { width })
    const notice = page.getByRole('alert').getByText('Runs go on in memory')
    await notice.waitFor()
    expect(await notice.innerText()).toContain(`${file}: the database is damaged`)
    expect(await violationsOn(page)).toEqual([])
    expect(await overhangOf(page)).toBe(0)
    if (hash !== '#/run') continue
    await runTask(page, 'What is 6 times 7?')
    await page.getByText('The reply follows the contract.').waitFor()
  }
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
