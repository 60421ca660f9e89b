import { expect } from 'vitest'
import type { Report } from '../../staging/report.ts'
import { scriptedAgent, success } from '../support/scripted-agent.ts'
import { overhangOf, test } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'
import { streamingAgent } from './streaming-agent.ts'

const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>[a](javascript:alert(3))\u202egnp.exe\u2066\u0007`
const SHOWN = `<img src=x onerror=alert(1)><script>alert(2)</script>[a](javascript:alert(3))⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+0007⟩`

test("shows markup in an agent's text as text, in every view", async ({ open }) => {
  const agent = await scriptedAgent(({ path, body }, response) => {
    const health = { status: 'ok', agent_id: 'agent-7', agent_name: HOSTILE }
    const run = () => success(JSON.parse(body.toString()).task_id, HOSTILE)
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(path === '/health' ? health : run()))
  })
  const report: Report = {
    ...{ url: HOSTILE, agentId: HOSTILE, verdict: 'failed', requests: 12 },
    ...{ startedAt: new Date().toISOString(), finishedAt: new Date().toISOString() },
    groups: [
      {
        ...{ id: 'run', title: HOSTILE, state: 'done' },
        assertions: [
          {
            ...{ id: 'run.hostile', verdict: 'fail', mandatory: true },
            ...{ title: HOSTILE, detail: HOSTILE, why: HOSTILE, how: HOSTILE },
          },
        ],
      },
    ],
  }
  const { url, store } = await startRehearsal({ url: agent.url, runChecks: async () => report })
  const page = await open(url, { width: 390 })
  await page.getByText(SHOWN).first().waitFor()
  await page.getByRole('button', { name: 'Run the checks of agent-7' }).click()
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
  const record = { agentId: HOSTILE, at: new Date(), httpStatus: 502, wallMs: 40, request, reply, broken }
  const id = store.runs.add({ ...record, status: 'violation' })
  await page.goto(`${url}/#/runs`)
  await page.getByRole('listitem').getByText(SHOWN).first().waitFor()
  await page.goto(`${url}/#/runs/${id}`)
  await page.getByRole('listitem').getByText(SHOWN).waitFor()
  await page.getByText('Raw exchange').click()
  expect(await page.getByText(SHOWN).count()).toBeGreaterThan(5)
  expect(await page.locator('main img, main script, a[href*="javascript:"]').count()).toBe(0)
  expect(await overhangOf(page)).toBe(0)
})

test('shows malformed stream events as they arrived, or skips them', async ({ open }) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(url)
  await page.getByRole('link', { name: 'Run a task on agent-7' }).click()
  await page.getByRole('textbox', { name: 'Task', exact: true }).fill('What is 6 times 7?')
  const arrived = agent.nextRun()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const run = await arrived
  run.send('of_tomorrow', { step: 1 })
  run.send('text', { step: 99, text: 'of no step' })
  run.send('limit_near', { limit: 12, used: {}, of: null })
  run.send('model_started', { step: 1, model: { a: HOSTILE }, attempt: 'first', at: 'now' })
  run.send('text', { step: 1, text: ['a', 'list'] })
  run.send('tool_started', { step: 2, tool: HOSTILE, arguments: HOSTILE })
  run.send('tool_finished', { step: 2, failed: 'perhaps', result: null })
  await page.getByRole('group', { name: 'Text of step 1' }).getByText('["a","list"]').waitFor()
  await page.getByRole('group', { name: 'Arguments of step 2' }).getByText(SHOWN).waitFor()
  run.finish(success(run.taskId, HOSTILE))
  await page.getByRole('group', { name: 'Output' }).getByText(SHOWN).waitFor()
})

test('truncates a megabyte of text until the reader asks for the rest', async ({ open }) => {
  const long = `${'all work and no play '.repeat(50_000)}THE END`
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(url)
  await page.getByRole('link', { name: 'Run a task on agent-7' }).click()
  await page.getByRole('textbox', { name: 'Task', exact: true }).fill('Write.')
  const arrived = agent.nextRun()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const run = await arrived
  run.reply(success(run.taskId, long))
  const result = page.getByRole('region', { name: 'Result' })
  const output = result.getByRole('group', { name: 'Output' })
  await output.waitFor()
  expect((await output.innerText()).length).toBeLessThan(5_000)
  await result
    .getByRole('button', { name: `Show all ${long.length.toLocaleString('en')} characters` })
    .first()
    .click()
  expect(await output.textContent()).toBe(long)
})
