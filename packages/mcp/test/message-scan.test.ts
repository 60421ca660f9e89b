import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Inflow } from '../inflow.ts'
import { LARGEST, MessageScan } from '../message-scan.ts'

const read = (scan: MessageScan, text: string) => scan.read(Buffer.from(text))

test('a text ends with its line, since no text of JSON goes on', () => {
  const scan = new MessageScan()
  expect(read(scan, '{"a')).toBe(1)
  scan.endLine()
  expect(read(scan, '[[[')).toBe(3)
})

test.each([
  ['bytes', 'x', LARGEST.bytes],
  ['marks', '[', LARGEST.marks],
])('as many %s as a message may have are not too many, and one more is', (_what, unit, most) => {
  const scan = new MessageScan()
  read(scan, unit.repeat(most))
  expect(() => read(scan, unit)).toThrow('a message is too large')
  const next = new MessageScan()
  read(next, unit.repeat(most - 1))
  next.endMessage()
  read(next, unit.repeat(most))
})

/** What a program's lines are, of an output in these pieces. */
function linesOf(output: readonly Buffer[]): string[] {
  const linesIn = new Inflow(() => {}).lineReader()
  return output.flatMap(piece => linesIn(piece)).map(String)
}

test('the lines of a program end where it has written a line feed, in pieces of any length', () => {
  const output = fc.string({ unit: fc.constantFrom('a', '"', '[', '\r', '\n', 'é') })
  fc.assert(
    fc.property(output, fc.integer({ min: 1, max: 9 }), (output, length) => {
      const bytes = Buffer.from(output)
      const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, n) =>
        bytes.subarray(n * length, (n + 1) * length),
      )
      expect(linesOf(pieces)).toEqual(output.split('\n').slice(0, -1))
    }),
  )
})

test('what is counted is what is cut: a carriage return begins no other message', () => {
  const line = Buffer.from(`${'['.repeat(1_000)}\r`.repeat(60))
  const inflow = new Inflow(() => {})
  const linesIn = inflow.lineReader()
  const write = () => {
    for (let bytes = 0; bytes <= LARGEST.bytes; bytes += line.length) linesIn(line)
  }
  return inflow.during(Number.POSITIVE_INFINITY, async () => expect(write).toThrow('a message is too large'))
})
