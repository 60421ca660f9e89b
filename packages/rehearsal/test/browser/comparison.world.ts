import type { RecordedEvent, RunRecord } from '@agent-task-service/rehearsal/api'
import { Random } from '@agent-task-service/test-support/random'
import { success } from '@agent-task-service/test-support/scripted-agent'
import { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Both, both, differingParts, requestsOf, stepsBeside } from '../../pages/state/differences.ts'
import { stepsIn } from '../../pages/state/run-steps.ts'
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

/** A call of each tool. */
const stepsNamed = (tools: readonly string[]): RecordedEvent[] =>
  tools.map((tool, index) => ({ type: 'tool_started', data: { at: 0, step: index + 1, tool } }))

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
    'Wall clock 0.10 s 0.25 s +0.15 s',
    ...['Reported 1 s 1 s same', 'Tokens in 100 100 same', 'Tokens out 10 15 +5'],
    ...['Steps 4 4 same', 'Cost – – –'],
  ])
  expect(await rowsIn(page, 'Steps')).toEqual([
    ...['Run 1 Run 2', 'Model call 1 · m done, 1 s Model call 1 · m done, 1 s'],
    'Tool call 2 · calculator done, 1 s Tool call 2 · calculator done, 1 s',
    'Tool call 3 · time done, 1 s Not in run 2',
    'Not in run 1 Tool call 3 · calculator done, 1 s',
    'Model call 4 · m its end was not recorded, – Model call 4 · m its end was not recorded, –',
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

test('a run is compared with one in progress: its answer so far, and what is not known yet', async ({
  open,
}) => {
  const agent = await streamingAgent()
  const { url, store } = await startRehearsal({ url: agent.url })
  store.runs.add(finished({ output: 'It is 36 today.' }))
  const page = await open(`${url}/#/run/agent-7`)
  const arrived = agent.nextRun()
  await runTask(page, 'What is it?')
  const run = await arrived
  await page.getByText('Waiting for the agent').waitFor()
  await page.goto(`${url}/#/runs/1/2`)
  const answer = page.getByRole('region', { name: 'Answer' })
  await answer.getByText('No answer').waitFor()
  await page.getByRole('region', { name: 'Steps' }).getByText('No steps yet.').waitFor()
  expect((await rowsIn(page, 'Figures'))[1]).toMatch(/^Wall clock 0.10 s – –$/)
  run.send('model_started', { at: 0.1, step: 1, model: 'm', attempt: 1 })
  run.send('text', { step: 1, text: 'It is' })
  await answer.getByRole('group', { name: 'The answer of run 2' }).getByText('It is').waitFor()
  run.finish(success(run.taskId, 'It is 36 today.'))
  await answer.getByText('The same in both.').waitFor()
})

test('a run beside itself is the same in all', async ({ open }) => {
  const { url, store } = await startRehearsal()
  store.runs.add(finished({ events: stepsWith([]) }))
  const page = await open(`${url}/#/runs/1/1`)
  await page.getByText('Both were asked the same.').waitFor()
  expect(await page.getByRole('heading', { name: 'Run 1', exact: true }).count()).toBe(2)
  expect(await page.getByText('same', { exact: true }).count()).toBe(5)
})

test('whatever was asked is compared: odd names, and bodies that are no request', () => {
  const asked = (...requests: [unknown, unknown]) =>
    requestsOf(both(requests, request => ({ agentId: 'agent-7', request }) as unknown as RunRecord))
  const Agent = { name: 'Agent', texts: ['agent-7', 'agent-7'] }
  const Task = { name: 'Task', texts: ['x', 'x'] }
  const [input, own] = ['x', JSON.parse('{"constructor": 1, "__proto__": {"a": 1}}')]
  expect(asked({ input, config: own }, { input })).toEqual([
    ...[Agent, Task, { name: 'constructor', texts: ['1', ''] }],
    { name: '__proto__', texts: ['{"a":1}', ''] },
  ])
  expect(asked({ body: 'not JSON' }, { body: '[]' })).toEqual([
    ...[Agent, { name: 'body', texts: ['not JSON', '[]'] }],
  ])
  expect(asked({ input, config: 'high', priority: 1 }, { input, config: {} })).toEqual([
    ...[Agent, Task, { name: 'priority', texts: ['1', ''] }, { name: 'config', texts: ['high', ''] }],
  ])
})

test('many steps that differ are beside each other by their place', () => {
  const steps = (tool: string, count: number) => stepsIn(stepsNamed(Array(count).fill(tool))).steps
  const rows = stepsBeside([steps('a', 1_500), steps('b', 1_600)])
  expect(rows).toHaveLength(1_600)
  expect(rows[1_499]!.map(step => step?.name)).toEqual(['a', 'b'])
  expect(rows[1_599]!.map(step => step?.name)).toEqual([undefined, 'b'])
})

// EVIDENCE-OF docs/guides/staging.md: a step stands beside one of the same name as long as the other run has any, in whatever
//   order they came.
test.each(Array.from({ length: 30 }, (_, seed) => seed))(
  'a call that came in another order is not missing: each is beside one of its name while there is one (drawn by seed %i)',
  seed => {
    const random = new Random(seed)
    const draw = () => Array.from({ length: random.whole(0, 9) }, () => random.pick(['a', 'b', 'c', 'd']))
    const names: Both<string[]> = [draw(), draw()]
    const rows = stepsBeside(both(names, tools => stepsIn(stepsNamed(tools)).steps))
    for (const index of [0, 1] as const)
      expect(rows.flatMap(row => row[index]?.step ?? []).toSorted((a, b) => a - b)).toEqual(
        names[index].map((_, place) => place + 1),
      )
    for (const name of ['a', 'b', 'c', 'd']) {
      const counts = names.map(tools => tools.filter(tool => tool === name).length)
      const pairs = rows.filter(([one, other]) => one?.name === name && other?.name === name)
      expect(pairs).toHaveLength(Math.min(...counts))
    }
  },
)

test('two long texts, or two that have nothing in common, have no marks', () => {
  const words = (seed: number) =>
    Array.from({ length: 5_000 }, (_, index) => `w${(index * seed) % 9973}`).join(' ')
  expect(differingParts([words(3), words(7)])).toBeUndefined()
  expect(differingParts(['a '.repeat(1e6), 'b '.repeat(1e6)])).toBeUndefined()
  expect(differingParts(['', 'all new'])).toMatchObject([[], [{ value: 'all new', added: true }]])
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
