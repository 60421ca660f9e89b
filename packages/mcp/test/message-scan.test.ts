import { expect, test } from 'vitest'
import { LARGEST, MessageScan } from '../message-scan.ts'

const read = (scan: MessageScan, text: string) => scan.read(Buffer.from(text))

test('a text ends with its line, since no text of JSON goes on', () => {
  expect(read(new MessageScan(true), '{"a\n[[[')).toEqual({ lines: 1, marks: 4 })
})

test.each([
  ['bytes', 'x', LARGEST.bytes],
  ['marks', '[', LARGEST.marks],
])('as many %s as a message may have are not too many, and one more is', (_what, unit, most) => {
  const scan = new MessageScan(true)
  read(scan, unit.repeat(most))
  expect(() => read(scan, unit)).toThrow('a message is too large')
  const next = new MessageScan(true)
  read(next, `${unit.repeat(most - 1)}\n`)
  read(next, unit.repeat(most))
})
