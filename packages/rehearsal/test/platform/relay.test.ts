import type { ServerResponse } from 'node:http'
import type { Exchange } from '@agent-task-service/rehearsal/agents'
import type { RunRecord } from '@agent-task-service/rehearsal/api'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { describe, expect, test } from 'vitest'
import { relay } from '../../platform/staging-route/relay.ts'
import { task, testPlatform } from '../platform.ts'
import { latest } from '../records.ts'
import { stopTime } from '../stubs.ts'

const started = { v: 1, at: 0, task_id: 'test-1', tools: [] }
const streaming = { headers: { accept: 'text/event-stream' } }

function event(type: string, data: unknown): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}

function begin(response: ServerResponse, ...parts: readonly string[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' })
  response.write(parts.join(''))
}

/** The events of a stream, one at a time; `undefined` at its end. */
function eventsOf(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const arrived: EventSourceMessage[] = []
  const parser = createParser({ onEvent: message => arrived.push(message) })
  const next = async (): Promise<EventSourceMessage | undefined> => {
    for (;;) {
      const message = arrived.shift()
      if (message !== undefined) return message
      const { done, value } = await reader.read()
      if (done) return undefined
      parser.feed(value)
    }
  }
  return { next, cancel: () => reader.cancel() }
}

describe('a stream of events', () => {
  test('is relayed as it arrives, each event before the next exists', async () => {
    let agentSays: ServerResponse | undefined
    const agent = await scriptedAgent((_request, response) => {
      agentSays = response
      begin(response, event('run_started', started))
    })
    const platform = testPlatform(agent)
    const response = await platform.run(task(), streaming)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(agent.requests[0]!.headers.accept).toBe('text/event-stream')
    const events = eventsOf(response)
    expect(await events.next()).toMatchObject({ event: 'run_started', data: JSON.stringify(started) })
    // What only the platform says.
    for (const type of ['staging_error', 'replica_lost']) agentSays!.write(event(type, { at: 1 }))
    agentSays!.write(`: heartbeat\n\nid: 5\n${event('newer_kind', { text: 'ü\n' })}data: a\ndata: b\n\n`)
    expect(await events.next()).toMatchObject({ id: '5', event: 'newer_kind', data: '{"text":"ü\\n"}' })
    expect(await events.next()).toMatchObject({ event: undefined, data: 'a\nb' })
    const last = event('run_finished', { v: 1, at: 2, response: success('test-1') })
    agentSays!.write(last.slice(0, 40))
    agentSays!.write(last.slice(40))
    expect(await events.next()).toMatchObject({ event: 'run_finished' })
    // The agent keeps its connection open, but has nothing more to say.
    expect(await events.next()).toBeUndefined()
    const reply = JSON.stringify(success('test-1'))
    expect(await latest(platform)).toMatchObject({ status: 'success', inputTokens: 12, reply })
  })

  test('is JSON if the agent does not stream', async () => {
    const agent = await scriptedAgent(replies(success))
    const response = await testPlatform(agent).run(task(), streaming)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(success('test-1'))
  })
})

describe('a stream that ends wrongly ends with staging_error', () => {
  async function lastEvent(
    script: (response: ServerResponse) => void,
  ): Promise<[EventSourceMessage[], Record<string, unknown>, RunRecord]> {
    const agent = await scriptedAgent((_request, response) => script(response))
    const platform = testPlatform(agent)
    const events = eventsOf(await platform.run(task(), streaming))
    const all: EventSourceMessage[] = []
    for (let one = await events.next(); one !== undefined; one = await events.next()) all.push(one)
    expect(all.at(-1)!.event).toBe('staging_error')
    return [all, JSON.parse(all.at(-1)!.data), await latest(platform)]
  }

  test('when the response violates the contract', async () => {
    const wrong = { ...success('test-1'), output: 5 }
    const [all, answer, record] = await lastEvent(response =>
      begin(response, event('run_started', started), event('run_finished', { response: wrong })),
    )
    expect(all.map(one => one.event)).toEqual(['run_started', 'staging_error'])
    const broken = ['output: expected a string, got the number 5']
    expect(answer).toMatchObject({ task_id: 'test-1', status: 'error', broken })
    expect(record).toMatchObject({ httpStatus: 502, broken, reply: JSON.stringify(wrong) })
  })

  test.each(['oops', '{}'])('when the last event holds %j instead of a response', async data => {
    const [, answer] = await lastEvent(response => begin(response, `event: run_finished\ndata: ${data}\n\n`))
    expect(answer.error).toMatch(/violates the contract: body: expected a JSON object in UTF-8, got/)
  })

  test('when it ends without its last event', async () => {
    const [, answer, record] = await lastEvent(response => {
      begin(response, event('run_started', started))
      response.end()
    })
    expect(answer.error).toBe('agent-7 gave no complete reply: the event stream ended without run_finished')
    expect(record).toMatchObject({ httpStatus: 502, violations: 1 })
  })

  test('after 120 s', async () => {
    const pass = stopTime()
    const agent = await scriptedAgent((_request, response) => begin(response, event('run_started', started)))
    const platform = testPlatform(agent)
    const arrived = agent.arrival()
    const events = eventsOf(await platform.run(task(), streaming))
    const { left } = await arrived
    await events.next()
    const last = events.next()
    await pass(120_000)
    expect(JSON.parse((await last)!.data).error).toBe('agent-7 gave no complete reply within 120 s')
    expect(await events.next()).toBeUndefined()
    await left
    expect(await latest(platform)).toMatchObject({ httpStatus: 504, wallMs: 120_000 })
  })
})

test("a caller that hangs up during a stream ends the agent's run, and records 499 once", async () => {
  const agent = await scriptedAgent((_request, response) => begin(response, event('run_started', started)))
  const platform = testPlatform(agent)
  const caller = new AbortController()
  const arrived = agent.arrival()
  const events = eventsOf(await platform.run(task(), { ...streaming, signal: caller.signal }))
  await events.next()
  const rest = events.next()
  caller.abort()
  await (await arrived).left
  await rest
  expect(await latest(platform)).toMatchObject({ id: 1, httpStatus: 499, status: 'cancelled' })
})

test('a run whose caller has stopped reading ends when it is cancelled', async () => {
  const agent = await scriptedAgent((_request, response) => {
    begin(response, event('run_started', started))
    for (let step = 1; step <= 20; step += 1) response.write(event('text', { step, text: 'word' }))
  })
  const platform = testPlatform(agent)
  await platform.run(task(), streaming)
  const answer = await platform.call('/api/runs/1/cancel', { method: 'POST' })
  expect(await answer.json()).toMatchObject({ id: 1, httpStatus: 499, status: 'cancelled' })
})

test('a caller that hangs up while an event waits to be read is recorded, too', async () => {
  const exchanges: Exchange[] = []
  const chunks = async function* () {
    yield new TextEncoder().encode(event('run_started', started))
    yield new TextEncoder().encode(event('text', {}))
    return null
  }
  const headers = { 'content-type': 'text/event-stream' }
  const reply = { status: 200, headers, chunks, wallMs: () => 7, read: () => Promise.reject(new Error()) }
  const conclude: Parameters<typeof relay>[2]['conclude'] = exchange => {
    exchanges.push(exchange)
    return { status: 'cancelled', httpStatus: 499, broken: [], answer: null }
  }
  const fail = (error: unknown) => {
    throw error
  }
  const events = relay(reply, { add: () => {} }, { conclude, fail, takeOver: async () => undefined })
  await events.next()
  await events.return()
  expect(exchanges).toMatchObject([{ status: 200, wallMs: 7, failure: { kind: 'aborted' } }])
})
