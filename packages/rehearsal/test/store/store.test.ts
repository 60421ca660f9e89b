import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { RUN_SORTS, type RunPage, type RunRecord } from '@agent-task-service/rehearsal/api'
import { createRedact, openStore } from '@agent-task-service/rehearsal/platform'
import { Random } from '@agent-task-service/test-support/random'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newFile } from '../new-file.ts'
import { AGENT_TOKEN, errorIn, STAGING_TOKEN, task, testPlatform } from '../platform.ts'
import { finished } from '../records.ts'
import { stopTime } from '../stubs.ts'

function memory() {
  const store = openStore(':memory:', createRedact([]))
  onTestFinished(() => store.close())
  return store
}

describe('records', () => {
  test('survive a restart', async () => {
    const file = await newFile('new/platform.db')
    const agent = await scriptedAgent(replies(success))
    const first = openStore(file, createRedact([]))
    const before = testPlatform({ ...agent, store: first })
    await before.run(task('before the restart'))
    first.close()
    const after = testPlatform({ ...agent, file })
    await after.run(task('after it'))
    const { runs } = await after.get<RunPage>('/api/runs')
    expect(runs.map(({ id, input }) => [id, input])).toEqual([
      [2, 'after it'],
      [1, 'before the restart'],
    ])
    expect((await after.get<RunRecord>('/api/runs/1')).request).toEqual(task('before the restart'))
  })

  test('hold no secret, wherever it was and however it was written', async () => {
    const file = await newFile('platform.db')
    const key = 'sk-proj-QmFzZVNlY3JldFZhbHVlMTIz'
    const plain = 'a-plain-looking-value'
    const encoded = Buffer.from(`x:${AGENT_TOKEN}`).toString('base64')
    const agent = await scriptedAgent((request, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.setHeader('X-Echo', STAGING_TOKEN)
      const [task_id = ''] = /test-\d/.exec(request.body.toString()) ?? []
      const output = `${request.headers.authorization} ${key} ${encodeURIComponent(AGENT_TOKEN)}`
      const wrong = task_id === 'test-2' && { status: key }
      response.end(JSON.stringify({ ...success(task_id, output), [AGENT_TOKEN]: encoded, ...wrong }))
    })
    const platform = testPlatform({ ...agent, file })
    for (const task_id of ['test-1', 'test-2']) {
      const config = { system_prompt: `the token is ${STAGING_TOKEN}`, api_key: plain, [key]: [encoded] }
      const input = `my key: ${key}; ${AGENT_TOKEN}`
      await platform.run({ task_id, input, config, password: 'correct horse' })
    }
    await platform.run(`{ "task_id": "${STAGING_TOKEN}", oops ${key}`)
    const { runs } = await platform.get<RunPage>('/api/runs')
    expect(runs.map(({ httpStatus }) => httpStatus)).toEqual([200, 502, 200])
    expect(runs[2]).toMatchObject({ input: 'my key: [redacted]; [redacted]', inputTokens: 12 })
    const files = await readdir(join(file, '..'))
    expect(files).toContain('platform.db-wal')
    const whole = [STAGING_TOKEN, AGENT_TOKEN, key, plain, 'correct horse']
    const secrets = [...whole, key.slice(8), encoded.slice(4, -4)].map(secret => secret.toLowerCase())
    for (const name of files) {
      const bytes = (await readFile(join(file, '..', name), 'latin1')).toLowerCase()
      expect(secrets.filter(secret => bytes.includes(secret))).toEqual([])
    }
  })

  test('keep only plausible figures', () => {
    const { runs } = memory()
    const metrics = { duration_sec: -1, input_tokens: 1.5, output_tokens: '3', steps: 2 }
    const id = runs.add(finished({ reply: JSON.stringify({ metrics }), broken: ['a', 'b', 'c'] }))
    expect(runs.get(id)).toMatchObject({
      ...{ durationSec: null, inputTokens: null, outputTokens: null, steps: 2 },
      ...{ violations: 3, broken: ['a', 'b', 'c'] },
    })
  })

  test('show the beginnings of long texts, and keep them whole', () => {
    const { runs } = memory()
    const input = 'x'.repeat(5_000)
    const id = runs.add(finished({ request: JSON.stringify({ task_id: 'test-1', input }) }))
    expect(runs.list({})[0]!.input).toBe(`${'x'.repeat(199)}…`)
    expect(runs.get(id)!.request.input).toBe(input)
  })

  test.each([
    ['no JSON', '{oops', { body: '{oops' }],
    ['an array', '[1]', { body: '[1]' }],
    ['an empty object', ' { } ', {}],
  ])('for a request that is %s', (_name, request, shown) => {
    const { runs } = memory()
    expect(runs.get(runs.add(finished({ request })))).toMatchObject({ request: shown, taskId: '', input: '' })
  })
})

test('history comes in pages, newest first, each with the start of the next', async () => {
  const { store, get } = testPlatform()
  for (let number = 1; number <= 8; number += 1) store.runs.add(finished())
  const page = async (query: string) => {
    const { runs, next } = await get<RunPage>(`/api/runs?limit=4${query}`)
    return [runs.map(({ id }) => id), next]
  }
  expect(await page('')).toEqual([[8, 7, 6, 5], 5])
  expect(await page('&after=5')).toEqual([[4, 3, 2, 1], null])
})

test('history filters by agent, status and text, in combination too', () => {
  const { runs } = memory()
  for (let number = 1; number <= 10; number += 1) {
    runs.add(
      finished({
        agentId: number % 2 === 0 ? 'agent-2' : 'agent-1',
        status: number > 7 ? 'error' : 'success',
        output: number === 3 ? 'Größe 100%' : 'done',
        request: JSON.stringify({ task_id: `test-${number}`, input: `Question ${number}` }),
      }),
    )
  }
  const ids = (filter: Parameters<typeof runs.list>[0]) => runs.list(filter).map(({ id }) => id)
  expect(ids({ agent: 'agent-2' })).toEqual([10, 8, 6, 4, 2])
  expect(ids({ status: 'error' })).toEqual([10, 9, 8])
  expect(ids({ text: 'GRÖßE 100%' })).toEqual([3])
  expect(ids({ text: 'question 1' })).toEqual([10, 1])
  expect(ids({ text: 'test-7' })).toEqual([7])
  expect(ids({ text: "'; DROP TABLE runs; --" })).toEqual([])
  expect(ids({ agent: 'agent-2', status: 'error', after: 10, text: 'question' })).toEqual([8])
})

describe('history in another order', () => {
  const cost = (usd: number) => [{ type: 'run_finished', data: { cost_usd: usd } }]
  const reply = (tokens: number, steps: number) => {
    const metrics = { duration_sec: 1, input_tokens: tokens, output_tokens: 1, steps }
    return JSON.stringify({ metrics })
  }

  /** Six runs; the figures of 2 and 5 are equal, and 6 has none. */
  function sorted() {
    const platform = testPlatform()
    for (const [wallMs, tokens, steps, usd] of [
      [300, 10, 2, 0.5],
      [500, 50, 1, 0.1],
      [100, 90, 4, 0.3],
      [200, 40, 3, 0.2],
      [500, 50, 1, 0.1],
    ] as const)
      platform.store.runs.add(finished({ wallMs, reply: reply(tokens, steps), events: cost(usd) }))
    platform.store.runs.add(finished({ wallMs: null, reply: '{}' }))
    return platform
  }

  test('pages lead back as they led on, in any order', async () => {
    const random = new Random(Number(process.env.SAMPLE_SEED))
    const { store, get } = testPlatform()
    const figure = () => random.whole(1, 5)
    for (let n = 0; n < 40; n += 1)
      store.runs.add(finished({ wallMs: figure(), reply: reply(figure(), figure()), events: cost(figure()) }))
    for (const sort of RUN_SORTS) {
      const limit = random.whole(1, 12)
      const path = `/api/runs?sort=${sort}&limit=${limit}`
      const pages = [await get<RunPage>(path)]
      while (pages.at(-1)!.next !== null)
        pages.push(await get<RunPage>(`${path}&after=${pages.at(-1)!.next}`))
      expect(pages.flatMap(({ runs }) => runs)).toHaveLength(40)
      const idsOf = ({ runs }: RunPage) => runs.map(({ id }) => id)
      let page = pages.at(-1)!
      for (const before of pages.slice(0, -1).toReversed()) {
        page = await get<RunPage>(`${path}&before=${page.previous}`)
        expect([idsOf(page), page.next]).toEqual([idsOf(before), before.next])
      }
      expect(page.previous).toBe(null)
    }
  })

  test.each([
    ['oldest', [1, 2, 3, 4, 5, 6]],
    ['slowest', [5, 2, 1, 4, 3, 6]],
    ['tokens', [3, 5, 2, 4, 1, 6]],
    ['steps', [3, 4, 1, 5, 2, 6]],
    ['cost', [1, 3, 4, 5, 2, 6]],
  ])('pages by %s, and a run that arrives meanwhile moves no other', async (sort, order) => {
    const { store, get } = sorted()
    const seen: number[] = []
    for (let after: number | null | '' = ''; after !== null; ) {
      const page: RunPage = await get(`/api/runs?sort=${sort}&limit=2&after=${after}`)
      seen.push(...page.runs.map(({ id }) => id))
      after = page.next
      if (seen.length === 2 && sort !== 'oldest')
        store.runs.add(finished({ wallMs: 9_999, reply: reply(999, 99), events: cost(9) }))
    }
    expect(seen).toEqual(order)
  })
})

test('history has runs of a range of time, given or up to now', async () => {
  stopTime('2026-03-14T15:00:30Z')
  const { store, get } = testPlatform()
  for (const at of ['02-20T00:00:00', '03-13T15:30:00', '03-14T14:10:00', '03-14T15:00:20'])
    store.runs.add(finished({ at: new Date(`2026-${at}Z`) }))
  const ids = async (query: string) =>
    (await get<RunPage>(`/api/runs?${query}`)).runs.map(({ id }) => id).reverse()
  expect(await ids('last=1h')).toEqual([3, 4])
  expect(await ids('last=24h')).toEqual([2, 3, 4])
  expect(await ids('last=30d')).toEqual([1, 2, 3, 4])
  expect(await ids('from=2026-03-13T15:30:00Z&to=2026-03-14T14:10:00Z')).toEqual([2])
  expect(await ids(`from=${encodeURIComponent('2026-03-14T16:10:00+02:00')}`)).toEqual([3, 4])
})

test('says what is wrong with a query', async () => {
  const { call } = testPlatform()
  const wrong = 'limit=0&after=x&status=good&agent=&sort=best&last=2h&from=yesterday&like=0'
  const response = await call(`/api/runs?${wrong}`)
  const problems = await errorIn(response)
  expect(problems.split('; ').map(one => one.split(':')[0])).toEqual([
    ...['status', 'from', 'last', 'like', 'sort', 'after', 'limit'],
  ])
  expect(problems).toContain('from: expected a time like 2026-03-14T15:00:00Z')
  for (const path of ['/api/runs/x', `/api/runs?text=${'x'.repeat(201)}`, '/api/runs/export?format=xls'])
    expect((await call(path)).status).toBe(400)
  expect((await call('/api/runs/12')).status).toBe(404)
})

describe('a file', () => {
  const open = (file: string) => openStore(file, createRedact([]))

  test('from another program is refused, and not touched', async () => {
    const file = await newFile('other.db')
    const other = new DatabaseSync(file)
    other.exec('CREATE TABLE songs (id INTEGER)')
    other.close()
    const before = await readFile(file)
    expect(() => open(file)).toThrow("expected a database of this platform, got another program's")
    expect(await readFile(file)).toEqual(before)
  })

  test('from another version is refused', async () => {
    const file = await newFile('platform.db')
    open(file).close()
    const database = new DatabaseSync(file)
    database.exec('PRAGMA user_version = 5')
    database.close()
    expect(() => open(file)).toThrow(
      `${file}: expected schema 4, got 5, of another version; name another file with --db`,
    )
  })

  test('that cannot be opened is reported', async () => {
    const path = join(await newFile('x'), '..')
    expect(() => open(path)).toThrow(/: cannot be opened as a database \(.*unable to open/)
  })

  test('that another platform has open is refused', async () => {
    const file = await newFile('platform.db')
    const first = open(file)
    expect(() => open(file)).toThrow('another platform has it open')
    first.close()
    open(file).close()
  })
})
