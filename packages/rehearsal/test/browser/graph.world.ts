import { success } from '@agent-task-service/test-support/scripted-agent'
import { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { finished } from '../records.ts'
import { beginRun, overhangOf, runTask, test, violationsOn } from './dashboard-test.ts'
import { branchedRun, EventWriter, longRun, TOPOLOGY } from './graph-runs.ts'
import { startOwnAgent } from './own-agent.ts'
import { startRehearsal } from './rehearsal.ts'

const graphOn = (page: Page) => page.getByRole('group', { name: 'Graph' })
const nodeOn = (page: Page, name: string) => graphOn(page).locator(`button[title=${JSON.stringify(name)}]`)

/** Names of the nodes that work, as a screen reader has them. */
async function workingOn(page: Page): Promise<string[]> {
  const nodes = await graphOn(page).getByRole('button').filter({ hasText: 'works' }).all()
  const names = await Promise.all(nodes.map(node => node.getAttribute('title')))
  return names.map(String).toSorted()
}

/** The page of a stored run. */
async function openRun(
  open: (link: string, look?: object) => Promise<Page>,
  events: Parameters<typeof finished>[0] & object,
  look: object = {},
): Promise<Page> {
  const { url, store } = await startRehearsal()
  store.runs.add(finished(events))
  return await open(`${url}/#/runs/1`, look)
}

test("draws the graph of this project's agent, with what each node did", async ({ open }) => {
  const { url } = await startRehearsal(await startOwnAgent())
  const page = await open(`${url}/#/run/agent-7`)
  await runTask(page, 'What day of the week was 4 July 1776?')
  await nodeOn(page, 'plan')
    .getByText(/^×2 · .*s · [\d.]+K? tok$/)
    .waitFor()
  await nodeOn(page, 'tool-call')
    .getByText(/^×1 · .*s$/)
    .waitFor()
  expect(await graphOn(page).getByRole('button').count()).toBe(3)
  expect(await workingOn(page)).toEqual([])
})

test.for([
  [1440, 'light'],
  [390, 'dark'],
] as const)(
  'the nodes of a run in progress are lit while they work, branches beside each other (%i pixels, %s)',
  async ([width, theme], { open }) => {
    const agent = await streamingAgent()
    const { url } = await startRehearsal({ url: agent.url })
    const page = await open(`${url}/#/run/agent-7`, { width, theme })
    const run = await beginRun(page, agent, 'What is it?')
    run.send('run_started', { at: 0, task_id: run.taskId, tools: [], limits: {}, graph: TOPOLOGY })
    await graphOn(page).waitFor()
    expect(await workingOn(page)).toEqual([])
    run.send('node_started', { at: 0.1, node: 'triage', superstep: 1 })
    await nodeOn(page, 'triage').getByText('works').waitFor()
    run.send('node_finished', { at: 0.5, node: 'triage', superstep: 1, failed: false })
    for (const node of ['search', 'read_pages']) run.send('node_started', { at: 0.5, node, superstep: 2 })
    run.send('model_started', { at: 0.5, node: 'search', step: 1, model: 'm', attempt: 1 })
    const used = { input_tokens: 1_200, output_tokens: 34, tool_calls: [] }
    run.send('model_finished', { at: 0.6, step: 1, model: 'm', ...used })
    await nodeOn(page, 'search')
      .getByText(/1.2K tok/)
      .waitFor()
    await nodeOn(page, 'triage').getByText('×1 · 0.40 s').waitFor()
    expect(await workingOn(page)).toEqual(['read_pages', 'search'])
    const [one, other] = await Promise.all(
      ['read_pages', 'search'].map(name => nodeOn(page, name).boundingBox()),
    )
    expect([one!.x === other!.x, one!.y === other!.y].filter(Boolean)).toHaveLength(1)
    expect(await graphOn(page).locator('.edge.lit').count()).toBe(2)
    run.send('node_finished', { at: 0.9, node: 'search', superstep: 2, failed: true })
    await nodeOn(page, 'search')
      .getByText(/^failed · ×1/)
      .waitFor()
    const [border, bad] = await page.evaluate<[string, string]>(`(() => {
      const node = document.querySelector('.node[title=search]')
      const probe = node.appendChild(document.createElement('i'))
      probe.style.color = 'var(--bad)'
      const { color } = getComputedStyle(probe)
      probe.remove()
      return [getComputedStyle(node).borderTopColor, color]
    })()`)
    expect(border).toBe(bad)
    expect(await violationsOn(page)).toEqual([])
    expect(await overhangOf(page)).toBe(0)
    run.finish(success(run.taskId, 'Done.'))
    await page.getByText('The reply follows the contract.').waitFor()
    expect(await workingOn(page)).toEqual([])
  },
)

// EVIDENCE-OF docs/guides/staging.md: Picking a step shows what it read, wrote and cost, and marks its node; picking a node marks
//   its steps.
test('what is picked, by keyboard too, is marked in the graph and in the list', async ({ open }) => {
  const page = await openRun(open, { events: branchedRun() }, { width: 768 })
  await page.getByText('Tool call 5 · calculator').click()
  const picked = graphOn(page).locator('button[aria-pressed=true]')
  expect(await picked.getAttribute('title')).toBe('research/look')
  await page.getByRole('group', { name: 'Arguments of step 5' }).waitFor()

  await nodeOn(page, 'write').focus()
  await page.keyboard.press('Enter')
  expect(await picked.getAttribute('title')).toBe('write')
  const marked = page.locator('.steps button[aria-current=true] .name')
  expect(await marked.allTextContents()).toEqual([
    expect.stringContaining('6 · model-a'),
    expect.stringContaining('8 · model-a'),
  ])
  expect(await page.getByRole('group', { name: 'Arguments of step 5' }).count()).toBe(0)
  expect(await violationsOn(page)).toEqual([])
  await page.keyboard.press('Enter')
  expect(await picked.count()).toBe(0)
})

// EVIDENCE-OF docs/guides/staging.md: The slider goes through the run, its arrow keys from event to event, and *Play* shows it again,
//   at its own speed, four times as fast, or in 6 s.
test("the slider's arrow keys go from event to event, and the graph with them", async ({ open }) => {
  const page = await openRun(open, { events: branchedRun() }, { width: 390, theme: 'dark' })
  const slider = page.getByRole('slider', { name: 'Time in the run' })
  await graphOn(page).waitFor()
  await slider.press('Home')
  expect(await workingOn(page)).toEqual([])
  const seen: [string, string[]][] = []
  for (let n = 0; n < 8; n += 1) {
    await slider.press('ArrowRight')
    seen.push([(await slider.getAttribute('aria-valuetext'))!.split(', ')[1]!, await workingOn(page)])
  }
  expect(seen).toEqual([
    ['node started: triage', ['triage']],
    ['model started: model-a', ['triage']],
    ['model finished: model-a', ['triage']],
    ['node finished: triage', []],
    ['node started: search', ['search']],
    ['node started: read_pages', ['read_pages', 'search']],
    ['node started: research', ['read_pages', 'research', 'search']],
    ['node started: research/plan', ['read_pages', 'research', 'research/plan', 'search']],
  ])
  await page.getByText('0.70 s · node started: research/plan').waitFor()
  expect(await violationsOn(page)).toEqual([])
  await slider.press('ArrowLeft')
  expect(await workingOn(page)).toEqual(['read_pages', 'research', 'search'])
  await slider.press('End')
  await nodeOn(page, 'review').getByText('×2').waitFor()
  expect(await workingOn(page)).toEqual([])
})

test.for([
  ['1×', 4_400],
  ['4×', 1_100],
  ['in 6 s', 6_000],
] as const)('a stored run plays again, %s', async ([speed, ms], { open }) => {
  const page = await openRun(open, { events: branchedRun() })
  await graphOn(page).waitFor()
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.getByLabel('Speed').selectOption(speed)
  await page.getByRole('button', { name: 'Play' }).click()
  // At a third of the run, its branches work; a little before its end, the last node does.
  await page.clock.runFor(ms / 3)
  expect(await workingOn(page)).toEqual(['read_pages', 'research', 'research/plan', 'search'])
  await page.clock.runFor(ms * 0.6)
  expect(await workingOn(page)).toEqual(['review'])
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.clock.runFor(ms)
  expect(await workingOn(page)).toEqual(['review'])
  await page.getByRole('button', { name: 'Play' }).click()
  await page.clock.runFor(ms)
  expect(await workingOn(page)).toEqual([])
  await page.getByRole('button', { name: 'Play' }).waitFor()
})

// EVIDENCE-OF docs/guides/staging.md: Where the system asks for reduced motion, there is no *Play*, and nothing moves by itself.
test('where motion is reduced, nothing moves by itself, and the slider works', async ({ open }) => {
  const page = await openRun(open, { events: branchedRun() })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await graphOn(page).waitFor()
  expect(await page.getByRole('button', { name: 'Play' }).count()).toBe(0)
  await page.getByRole('slider').fill('1')
  expect(await workingOn(page)).toEqual(['read_pages', 'research', 'research/plan', 'search'])
  expect(await page.evaluate('document.getAnimations().length')).toBe(0)
})

// EVIDENCE-OF docs/guides/staging.md: Below it each model call and each tool call has a row, its bar on the run's time; a bracket
//   joins those that ran at the same time.
test('41 steps take a row of 26 pixels each, and those that ran at the same time a bracket', async ({
  open,
}) => {
  const page = await openRun(open, { events: longRun(41) }, { width: 1440 })
  const list = page.locator('.steps')
  await list.waitFor()
  expect((await list.boundingBox())!.height).toBe(41 * 26)
  expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(1_600)
  expect(await page.locator('.beside').count()).toBe(0)

  const branched = await openRun(open, { events: branchedRun() }, { width: 390 })
  const bracketed = branched.locator('.steps .beside')
  await branched.getByText('9 steps').first().waitFor()
  expect((await bracketed.locator('.name bdi').allTextContents()).join()).toBe(
    'web_search,fetch_page,model-a',
  )
  expect(await bracketed.first().getAttribute('class')).toContain('first')
  expect(await bracketed.last().getAttribute('class')).toContain('last')
})

// EVIDENCE-OF docs/guides/staging.md: Of a graph of more than 60 nodes or 300 edges, and of an agent that does not tell its graph,
//   there are the steps alone.
test('without a graph that can be drawn, there is the list alone: none told, too large, or no graph', async ({
  open,
}) => {
  const many = Array.from({ length: 61 }, (_, number) => `node ${number}`)
  const edges = (count: number) => Array(count).fill({ source: 'a', target: 'b' })
  const told = [
    ...[undefined, 'plan -> respond', { nodes: 'plan', edges: [] }, { nodes: [], edges: [] }],
    ...[
      { nodes: many, edges: [] },
      { nodes: ['a', 'b'], edges: edges(301) },
    ],
  ]
  const { url, store } = await startRehearsal()
  for (const graph of told) {
    const run = new EventWriter(graph)
    const id = store.runs.add(
      finished({ events: run.start(1, 'a').alone(0.1, run.model('a')).end(1, 'a').events }),
    )
    const page = await open(`${url}/#/runs/${id}`)
    await page.getByText('Model call 1').waitFor()
    await page.getByRole('slider').waitFor()
    expect(await graphOn(page).count()).toBe(0)
  }
  const page = await open(`${url}/#/runs/${store.runs.add(finished({}))}`)
  await page.getByText('The reply follows the contract.').waitFor()
  expect(await page.getByRole('slider').count()).toBe(0)
})

test('names of nodes are shown as text, and none is too long for its node', async ({ open }) => {
  const names = [
    '<img src=x onerror=alert(1)>',
    'x'.repeat(500),
    'gnp\u202eexe',
    '__proto__',
    'constructor',
    '0',
  ]
  const graph = {
    nodes: names,
    edges: names.map((source, index) => ({ source, target: names[(index + 1) % names.length] })),
  }
  const run = new EventWriter(graph).start(1, ...names)
  const page = await openRun(open, { events: run.pass(1).end(1, ...names).events }, { width: 390 })
  await graphOn(page).waitFor()
  expect(await graphOn(page).getByRole('button').count()).toBe(names.length)
  for (const name of ['<img src=x onerror=alert(1)>', 'gnp⟨U+202E⟩exe', '__proto__', 'constructor', '0'])
    await nodeOn(page, name).getByText('×1 · 1 s').waitFor()
  expect(await page.locator('main img').count()).toBe(0)
  expect(await violationsOn(page)).toEqual([])
  expect(await overhangOf(page)).toBe(0)
})

/** Counts, until the run has been played, its frames, the changes of the page in each, and the work for all of them. */
const WATCH = `
  window.frames = []
  let changes = 0
  new MutationObserver(records => { changes += records.length }).observe(document.body, {
    subtree: true, childList: true, attributes: true, characterData: true,
  })
  const next = () => {
    window.frames.push(changes)
    changes = 0
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)`

test('500 events play at 60 frames a second: a frame changes little, and its work is done in time', async ({
  open,
}) => {
  const events = longRun(125)
  expect(events.length).toBeGreaterThanOrEqual(500)
  const page = await openRun(open, { events })
  await graphOn(page).waitFor()
  const devTools = await page.context().newCDPSession(page)
  const workMs = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics')
    const names = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration']
    return metrics
      .filter(({ name }) => names.includes(name))
      .reduce((sum, { value }) => sum + value * 1000, 0)
  }
  await devTools.send('Performance.enable')
  // Sixty frames a second, whatever the machine is busy with.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.evaluate(WATCH)
  const before = await workMs()
  await page.getByRole('button', { name: 'Play' }).click()
  await page.clock.runFor(7_000)
  await page.getByRole('button', { name: 'Play' }).waitFor()
  const spent = (await workMs()) - before
  const frames = await page.evaluate<number[]>('window.frames')
  const drawn = frames.filter(changes => changes > 0)
  expect(drawn.length).toBeGreaterThan(300)
  // The veil, the slider, the words beside the title, and the nodes that begin or end; not the 125 rows.
  expect(Math.max(...drawn.slice(1, -1))).toBeLessThan(60)
  expect(spent / frames.length).toBeLessThan(1000 / 60)
})
