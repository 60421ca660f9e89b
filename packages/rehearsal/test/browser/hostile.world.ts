import { scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { expect } from 'vitest'
import { finished } from '../records.ts'
import { overhangOf, test } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'
import { assertion, reportOf } from './report.ts'

const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>[a](javascript:alert(3))\u202egnp.exe\u2066\u0007`
const SHOWN = `<img src=x onerror=alert(1)><script>alert(2)</script>[a](javascript:alert(3))⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+0007⟩`

test("shows markup in an agent's text as text, in every view", async ({ open }) => {
  const agent = await scriptedAgent(({ path, body }, response) => {
    const health = { status: 'ok', agent_id: 'agent-7', agent_name: HOSTILE }
    const run = () => success(JSON.parse(body.toString()).task_id, HOSTILE)
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(path === '/health' ? health : run()))
  })
  const texts = { title: HOSTILE, detail: HOSTILE, why: HOSTILE, how: HOSTILE }
  const report = { ...reportOf(assertion('hostile', 'fail', texts)), url: HOSTILE, agentId: HOSTILE }
  const { url, store } = await startRehearsal({ url: agent.url, runChecks: async () => report })
  const page = await open(url, { width: 390 })
  await page.getByText(SHOWN).first().waitFor()
  await page.getByRole('button', { name: 'Run acceptance checks of agent-7' }).click()
  await page.getByText('Worth a look').waitFor()
  await page.getByText(SHOWN).first().click()
  await page.getByRole('group', { name: 'Detail of run.hostile' }).getByText(SHOWN).waitFor()
  await page.getByRole('link', { name: 'Run', exact: true }).click()
  await page.getByRole('textbox', { name: 'Task', exact: true }).fill(HOSTILE)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('group', { name: 'Output' }).getByText(SHOWN).waitFor()

  const broken = [HOSTILE]
  const request = JSON.stringify({ task_id: HOSTILE, input: HOSTILE, config: { system_prompt: HOSTILE } })
  const reply = JSON.stringify({ status: 'error', output: HOSTILE, error: HOSTILE, metrics: HOSTILE })
  const id = store.runs.add(finished({ agentId: HOSTILE, status: 'violation', request, reply, broken }))
  await page.goto(`${url}/#/runs`)
  await page.getByRole('listitem').getByText(SHOWN).first().waitFor()
  await page.goto(`${url}/#/runs/${id}`)
  await page.getByRole('listitem').getByText(SHOWN).waitFor()
  expect(await page.getByText(SHOWN).count()).toBeGreaterThan(5)
  await page.getByRole('group', { name: 'Config: system_prompt' }).getByText(SHOWN).waitFor()
  await page.goto(`${url}/#/runs/1/${id}`)
  await page.getByRole('group', { name: 'The system_prompt of run' }).getByText(SHOWN).waitFor()
  expect(await page.locator('main img, main script, a[href^="javascript:"]').count()).toBe(0)
  expect(await overhangOf(page)).toBe(0)
})

// EVIDENCE-OF docs/guides/staging.md: A text begins with 4,000 characters, and on demand shows up to 200,000, or all of the exchange;
//   it says of how many.
test('truncates a megabyte of text until the reader asks for the rest', async ({ open }) => {
  const long = `${'all work and no play '.repeat(50_000)}THE END`
  const { url, store } = await startRehearsal()
  store.runs.add(finished({ output: long }))
  const page = await open(`${url}/#/runs/1`)
  const output = page.getByRole('group', { name: 'Output' })
  await output.waitFor()
  expect((await output.innerText()).length).toBeLessThan(5_000)
  const length = long.length.toLocaleString('en')
  await page.getByRole('button', { name: `Show 200,000 of ${length} characters` }).click()
  await page.getByText(`Shown are the first 200,000 of ${length} characters`).waitFor()
  expect(await output.textContent()).toBe(`${long.slice(0, 200_000)}…`)
  const reply = page.getByRole('group', { name: 'Reply', exact: true })
  await page.getByRole('button', { name: 'Show all 1,0' }).click()
  expect(await reply.textContent()).toContain('THE END')

  store.runs.add(finished({ output: `${long} of another` }))
  await page.goto(`${url}/#/runs/1/2`)
  await page.getByText('Too long, or too different, to mark what differs.').waitFor()
  const answer = page.getByRole('group', { name: 'The answer of run 2' })
  expect((await answer.innerText()).length).toBeLessThan(5_000)
})

// EVIDENCE-OF docs/guides/staging.md: A text begins with 4,000 characters, and on demand shows up to 200,000, or all of the exchange;
//   it says of how many.
test('shows a reply of 100 lists in each other, many times, without indenting it', async ({ open }) => {
  const lists = `${'['.repeat(100)}${']'.repeat(100)}`
  const reply = JSON.stringify({ ...success('test-1'), more: 0 }).replace(
    '"more":0',
    `"more":[${Array(20_000).fill(lists).join()}]`,
  )
  const { url, store } = await startRehearsal()
  store.runs.add(finished({ reply }))
  store.runs.add(finished({ reply: JSON.stringify({ ...success('test-1'), more: [[1]] }) }))
  const page = await open(`${url}/#/runs/1`)
  await page
    .getByRole('button', { name: `Show all ${reply.length.toLocaleString('en')} characters` })
    .waitFor()
  const shown = page.getByRole('group', { name: 'Reply', exact: true })
  expect(await shown.textContent()).toBe(`${reply.slice(0, 4_000)}…`)
  await page.goto(`${url}/#/runs/2`)
  await page.getByText('"more": [').waitFor()
})

// EVIDENCE-OF docs/guides/staging.md: Of a longer run, the first 1,000 are there.
test('shows a thousand steps of a run that has many thousands', async ({ open }) => {
  const events = Array.from({ length: 20_000 }, (_, step) => ({ type: 'tool_started', data: { step } }))
  const { url, store } = await startRehearsal()
  store.runs.add(finished({ events }))
  const page = await open(`${url}/#/runs/1`)
  await page.getByText('Shown are the first 1,000 of 20,000 steps: more would stop the page.').waitFor()
  expect(await page.locator('.steps > li').count()).toBe(1_000)
})
