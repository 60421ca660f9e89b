import { readFileSync } from 'node:fs'
import { HEARTBEAT_SEC, runEvents, type StreamEventType } from '@agent-task-service/wire/contract'
import { createParser } from 'eventsource-parser'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../../docs/reference/event-stream.md', import.meta.url), 'utf8')

test.each(Object.entries(runEvents))(
  'docs/reference/event-stream.md describes %s with its members',
  (type, { shape }) => {
    const row = page.split('\n').find(line => line.startsWith(`| \`${type}\` |`))
    const members = Object.keys(shape).filter(name => !['v', 'at', 'step'].includes(name))
    for (const name of members) expect(row).toContain(`\`${name}\``)
  },
)

test('the stream it shows is current', () => {
  const shown = page.split('```')[3] ?? ''
  const seen: string[] = []
  const parser = createParser({
    onEvent: ({ event = '', data }) => {
      runEvents[event as StreamEventType].parse(JSON.parse(data))
      seen.push(event)
    },
  })
  parser.feed(`${shown.trimStart()}\n`)
  expect(seen.at(0)).toBe('run_started')
  expect(seen.at(-1)).toBe('run_finished')
})

test('it states the interval between heartbeats', () => {
  expect(page).toMatch(new RegExp(`heartbeat\`\\s+comes\\s+every\\s+${HEARTBEAT_SEC} s`))
})
