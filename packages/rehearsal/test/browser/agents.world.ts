import { scriptedAgent } from '@agent-task-service/test-support/scripted-agent'
import { expect } from 'vitest'
import { colorsOn, overhangOf, test } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'
import { assertion, reportOf } from './report.ts'

const LONG = 'the model named no tool and gave no answer, so that nothing could be compared, '.repeat(4)

test('a poll is a dot at the foot of a scale to 5 s, a failed one a cross above it', async ({ open }) => {
  let fails = false
  const agent = await scriptedAgent((_request, response) => {
    response.statusCode = fails ? 500 : 200
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ status: 'ok', agent_id: 'agent-7', agent_name: 'An agent' }))
  })
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(url)
  const card = page.getByRole('article', { name: 'agent-7' })
  const strip = card.getByRole('img', { name: 'Polls of /health in the last 10 minutes' })
  const poll = card.getByRole('button', { name: 'Poll /health' })
  await poll.click()
  await card.getByText('0 failed, answered in').waitFor()
  // The line at 5 s is a quarter of the way down; its words are below it.
  await expect.poll(() => colorsOn(strip, 0.6, 1)).toEqual(['good'])
  expect(await colorsOn(strip, 0, 0.6)).toEqual(['warn'])
  fails = true
  await poll.click()
  await card.getByText('1 failed').waitFor()
  await expect.poll(() => colorsOn(strip, 0, 0.2)).toEqual(['bad'])
  expect(await colorsOn(strip, 0.6, 1)).toEqual(['good'])
  await card.getByText('Failed: expected HTTP 200, got 500').waitFor()
})

test('a browser whose language is none shows the page', async ({ open }) => {
  const { url } = await startRehearsal()
  const page = await open(url)
  await page.addInitScript(
    `Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })`,
  )
  await page.reload()
  await page.getByRole('img', { name: 'Polls of /health' }).waitFor()
})

test('the cause that checks found is read to its end', async ({ open }) => {
  const report = { ...reportOf(assertion('run.first', 'fail')), cause: LONG.trim() }
  const { url, call, get } = await startRehearsal({ runChecks: async () => report })
  await call('/api/agents/agent-7/checks', { method: 'POST' })
  await expect.poll(async () => (await get<{ state: string }>('/api/checks/1')).state).toBe('failed')
  for (const [width, hash] of [
    [1440, '#/'],
    [390, '#/'],
    [768, '#/checks'],
  ] as const) {
    const page = await open(`${url}/${hash}`, { width })
    const cause = page.getByText('nothing could be compared').first()
    await cause.waitFor()
    expect(await cause.evaluate(node => node.scrollWidth <= node.clientWidth || node.clientWidth === 0)).toBe(
      true,
    )
    const row = page.getByRole('listitem').filter({ has: cause })
    expect((await row.boundingBox())!.height).toBeGreaterThan(60)
    expect(await overhangOf(page)).toBe(0)
  }
})
