import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Report } from '@agent-task-service/rehearsal/report'
import { some } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { expect, test } from 'vitest'
import { examine } from './faulty-agents/examine.ts'
import { assertionsOf } from './faulty-agents/expect.ts'
import { type Change, faulty } from './faulty-agents/faulty-agent.ts'
import { json, SecondAgent } from './second-agent/second-agent.ts'
import { thinkingAgent } from './thinking-agent/thinking-agent.ts'

const examineWith = async (change: Change, Base?: typeof SecondAgent): Promise<Report> =>
  await fakeTime().until(examine({ does: 'is drawn', Agent: faulty(change, Base), only: ['run'] }))

const failuresOf = (report: Report) => assertionsOf(report).filter(({ verdict }) => verdict === 'fail')

/** What an agent stumbles over, and the words by which it is named. */
const spelt: Record<
  string,
  [name: string, isSpelt: (sent: { body: string; headers: Record<string, unknown> }) => boolean]
> = {
  escapes: ['with escapes (\\u00e3, \\/)', ({ body }) => /\\u[\da-f]{4}/.test(body)],
  lines: ['over several lines', ({ body }) => /^\{\s*\n/.test(body)],
  blanks: ['with blanks around it', ({ body }) => /^\s/.test(body)],
  order: ['with its members in another order', ({ body }) => /^\s*\{\s*"config"/.test(body)],
  emptyConfig: ['with an empty config', ({ body }) => /"config":\{\}|"c\\u006fnf\\u0069g":\{\}/.test(body)],
  charset: [
    'with a character set in its Content-Type',
    ({ headers }) => /charset/.test(String(headers['content-type'])),
  ],
  capitals: [
    'with its Content-Type in capitals',
    ({ headers }) => /JSON/.test(String(headers['content-type'])),
  ],
  chunks: ['in chunks, without Content-Length', ({ headers }) => headers['content-length'] === undefined],
  bare: [
    'with no header beyond those of the contract',
    ({ headers }) => headers.accept === undefined && headers['transfer-encoding'] === undefined,
  ],
}

// EVIDENCE-OF docs/reference/acceptance-checks.md: However a request is written, it gets what the plain one gets
test.for(some(Object.values(spelt), 3))(
  'what stumbles over a request %s is told so',
  async ([name, isSpelt]) => {
    const report = await examineWith({
      when: ({ call: { body, headers } }) => isSpelt({ body, headers }),
      reply: () => json(400, { message: 'not understood' }),
    })
    const told = failuresOf(report).find(({ id }) => id.endsWith('spellings'))
    expect(told?.detail).toBe(`written ${name}: expected what the plain request gets, HTTP 200, got 400`)
    // Of other runs, those on a connection that is kept have none either.
    const isBare = name === spelt.bare![0]
    expect(report.causeId).toBe(isBare ? 'run.keep_alive' : told?.mandatory ? told.id : undefined)
  },
)

class DecodesEachPacket extends SecondAgent {
  override async receive(request: IncomingMessage): Promise<string> {
    let body = ''
    for await (const part of request) body += part
    return body
  }
}

class KnowsOneCase extends SecondAgent {
  override async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.rawHeaders.includes('AUTHORIZATION')) delete request.headers.authorization
    await super.serve(request, response)
  }
}

test.for([
  ['in several packets', DecodesEachPacket],
  ['with names of headers in capitals', KnowsOneCase],
] as const)('what stumbles over a request sent %s is told so', async ([name, Agent]) => {
  const report = await fakeTime().until(examine({ does: 'reads so', Agent, only: ['run'] }))
  expect(report.cause).toContain(`written ${name}: expected what the plain request gets`)
})

const rewritten: Record<string, [told: RegExp, change: (text: string) => string]> = {
  NFKC: [/ligatures/, text => text.normalize('NFKC')],
  quotes: [/typographic quotes/, text => text.replace(/[“”]/g, '"').replace(/[‘’]/g, "'")],
  smart: [/straight quotes/, text => text.replace(/"(\w+)"/g, '“$1”')],
  braces: [/double braces.*got \{\w+\} /, text => text.replace(/\{\{(\w+)\}\}/g, '{$1}')],
  dollars: [/dollar sign/, text => text.replace(/\$\{?\w+\}?/g, '')],
  decoded: [/percent-encoded/, text => text.replace(/%[\dA-F]{2}/g, '+')],
  tags: [/tags/, text => text.replace(/<[^>]{1,20}>/g, '')],
  entities: [/entities/, text => text.replace(/&(\w+|#\d+);/g, '*')],
  backslashes: [/backslashes/, text => text.replaceAll('\\', '\\\\')],
  emoji: [/emoji/, text => text.replace(/[\u{10000}-\u{10ffff}]/gu, '')],
  latin: [/Greek letters/, text => Buffer.from(text).toString('latin1')],
}

// EVIDENCE-OF docs/reference/acceptance-checks.md: Text that the agent repeats must come back as it was sent.
test.for(some(Object.entries(rewritten), 4))(
  'text that comes back changed each time is told with its kind: %s',
  async ([, [told, change]]) => {
    const report = await examineWith({ outcome: said => ({ ...said, text: change(said.text) }) })
    expect(failuresOf(report).find(({ id }) => id === 'run.letters')?.detail).toMatch(told)
  },
)

// EVIDENCE-OF docs/reference/acceptance-checks.md: Some tokenizers compose letters (Qwen's to NFC) and models write line ends their
//   own way, so those are advice.
test('letters that are composed, and other line ends, are advised on', async () => {
  const report = await examineWith({
    outcome: said => ({ ...said, text: said.text.normalize('NFC').replaceAll('\r\n', '\n') }),
  })
  expect(report.verdict).toBe('passed')
  const [advised] = failuresOf(report).filter(({ id }) => id === 'run.lines')
  const kinds = advised?.detail?.split(':')[0]?.split(', ').sort()
  expect(kinds).toEqual(['letters with combining marks', 'line ends of Windows'])
})

test('an agent that fails texts with names in braces, and repeats others, is told so', async () => {
  const report = await examineWith({
    when: ({ task }) => /(?<!\{)\{\w+\}(?!\})/.test(task.input),
    outcome: () => ({ status: 'error', text: "KeyError: 'name'", steps: 1 }),
  })
  expect(failuresOf(report).find(({ id }) => id === 'run.letters')?.detail).toContain(
    'a text with names in braces ({name})',
  )
})

// EVIDENCE-OF docs/reference/acceptance-checks.md: A kind is blamed if none of its words, drawn anew each time, comes back
//   unchanged in three tries: a model's slips vary.
test('what a model repeats otherwise now and then is not held against it', async () => {
  let runs = 0
  const changes = Object.values(rewritten).map(([, change]) => change)
  const report = await examineWith(
    { outcome: said => ({ ...said, text: changes[runs++ % changes.length]!(said.text) }) },
    thinkingAgent(3),
  )
  expect(failuresOf(report).filter(({ id }) => id === 'run.letters')).toEqual([])
})

test('an agent that counts words as tokens is advised on', async () => {
  const words = await examineWith({
    task: task => ({ ...task, maxTokens: undefined }),
    outcome: (said, { config }) => {
      const all = said.text.split(/(?<=\s)/)
      const some = all.slice(0, Number(config.max_tokens ?? all.length))
      return { ...said, text: some.join('').trimEnd() }
    },
  })
  expect(failuresOf(words).map(({ id }) => id)).toContain('run.max_tokens_unit')
  expect(failuresOf(words).filter(({ mandatory }) => mandatory)).toEqual([])
})

// EVIDENCE-OF docs/reference/acceptance-checks.md: `max_tokens` is broken if the text of a run has more words than that, and more
//   than eight characters for each token: beyond any way to count.
test('an agent without a cap fails', async () => {
  const report = await examineWith({ task: task => ({ ...task, maxTokens: undefined }) })
  expect(failuresOf(report).map(({ id }) => id)).toContain('run.max_tokens_caps')
})
