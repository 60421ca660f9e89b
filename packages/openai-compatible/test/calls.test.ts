import { OfferedTools } from '@agent-task-service/messages/offered-tools'
import { add } from '@agent-task-service/test-support/sample-tools'
import { expect, test } from 'vitest'
import { type CallPiece, StreamedCalls } from '../replies/calls.ts'

const offered = new OfferedTools([add])

/** The calls of these pieces, in one packet and in one for each: the same. */
function callsOf(pieces: readonly CallPiece[]) {
  const results = [false, true].map(isApart => {
    const calls = new StreamedCalls(offered)
    const taken = new Map<number, { id: string; name: string; args: string }>()
    for (const [at, piece] of pieces.entries()) {
      calls.add(piece)
      if (!isApart && at < pieces.length - 1) continue
      for (const { index = -1, id = '', name = '', args = '' } of calls.take()) {
        const known = taken.get(index) ?? { id: '', name: '', args: '' }
        taken.set(index, { id: known.id + id, name: known.name + name, args: known.args + args })
      }
    }
    return [...taken.values()]
  })
  expect(results[0]).toEqual(results[1])
  return results[0]
}

const one = { id: 'a', name: 'add', args: '{"a":1,"b":2}' }
const two = { id: 'b', name: 'add', args: '{"a":3,"b":4}' }

test.each<{ pieces: string; of: readonly CallPiece[]; calls?: readonly object[] }>([
  {
    pieces: 'one after the other',
    of: [
      { index: 0, id: 'a', name: 'add', args: '' },
      { index: 0, args: '{"a":1,' },
      { index: 0, args: '"b":2}' },
      { index: 1, ...two },
    ],
  },
  {
    pieces: 'interleaved',
    of: [
      { index: 0, id: 'a', name: 'add', args: '' },
      { index: 1, id: 'b', name: 'add', args: '' },
      { index: 0, args: '{"a":1' },
      { index: 1, args: '{"a":3' },
      { index: 1, args: ',"b":4}' },
      { index: 0, args: ',"b":2}' },
    ],
  },
  {
    pieces: 'interleaved, by id alone',
    of: [
      { id: 'a', name: 'add', args: '{"a":1,' },
      { id: 'b', name: 'add', args: '{"a":3,' },
      { id: 'a', args: '"b":2}' },
      { id: 'b', args: '"b":4}' },
    ],
  },
  { pieces: 'without an index', of: [one, two] },
  {
    pieces: 'index 0 for all',
    of: [
      { index: 0, ...one },
      { index: 0, ...two },
    ],
  },
  {
    pieces: 'id and name repeated',
    of: [
      { index: 0, id: 'a', name: 'add', args: '{"a":1,' },
      { index: 0, id: 'a', name: 'add', args: '"b":2}' },
      { index: 1, ...two },
    ],
  },
  {
    pieces: 'whole calls once more at the end',
    of: [
      { index: 0, id: 'a', name: 'add', args: '{"a":1,' },
      { index: 0, args: '"b":2}' },
      { index: 1, ...two },
      { index: 0, ...one },
      { index: 1, ...two },
    ],
  },
  {
    pieces: 'a name in pieces',
    of: [
      { index: 0, id: 'a', name: 'a', args: '' },
      { index: 0, name: 'dd', args: '' },
      { index: 0, args: '{"a":1,"b":2}' },
      { index: 1, ...two },
    ],
  },
  {
    pieces: 'an id of its own for each',
    of: [
      { index: 0, id: 'a', name: 'add', args: '{"a":1,' },
      { index: 0, id: 'x', name: 'add', args: '"b":2}' },
      { index: 1, ...two },
    ],
  },
  {
    pieces: 'all so far in each',
    of: [
      { index: 0, id: 'a', name: 'add', args: '{"a":1' },
      { index: 0, id: 'a', name: 'add', args: '{"a":1,"b":2' },
      { index: 0, id: 'a', name: 'add', args: '{"a":1,"b":2}' },
      { index: 1, ...two },
    ],
  },
  {
    pieces: 'without ids',
    of: [
      { index: 0, name: 'add', args: '{"a":1,"b":2}' },
      { index: 1, name: 'add', args: '{"a":3,"b":4}' },
    ],
    calls: [
      { ...one, id: '' },
      { ...two, id: '' },
    ],
  },
])('$pieces', ({ of, calls = [one, two] }) => {
  expect(callsOf(of)).toEqual(calls)
})

// EVIDENCE-OF docs/reference/model-servers.md: Of the calls of one reply the first 1,000 are read.
test.each([
  { servers: 'number them', numbered: true },
  { servers: 'do not', numbered: false },
])(
  'of thousands of calls the first 1,000 are read, and the others change none: servers that $servers',
  row => {
    const pieces = Array.from({ length: 3_000 }, (_, at) => {
      const index = row.numbered ? { index: at } : {}
      return [
        { ...index, id: `c${at}`, name: 'add', args: '' },
        { ...index, args: `{"a":${at},` },
        { ...index, args: '"b":2}' },
      ]
    })
    const calls = callsOf(pieces.flat())
    expect(calls).toHaveLength(1_000)
    expect(calls?.at(-1)).toEqual({ id: 'c999', name: 'add', args: '{"a":999,"b":2}' })
  },
)
