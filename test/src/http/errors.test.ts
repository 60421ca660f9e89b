import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EdgeError, edgeErrors } from '../../../src/http/errors.ts'

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
const docs = read('docs/errors.md')

/** The cells of each table row under a heading in docs/errors.md, without the head. */
function tableUnder(heading: string): string[][] {
  const section = docs.split(/^## /m).find(part => part.startsWith(`${heading}\n`)) ?? ''
  const rows = section.split('\n').filter(line => line.startsWith('|'))
  return rows.slice(2).map(row =>
    row
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim()),
  )
}

/** The reasons are a type, erased at run time: read from its source. */
function stopReasons(): string[] {
  const [, union = ''] = /export type StopReason =([^/]*?)\n\n/.exec(read('graph/run/failure.ts')) ?? []
  return [...union.matchAll(/'(\w+)'/g)].map(([, reason = '']) => reason)
}

test('docs/errors.md lists every infrastructure answer with its status and text', () => {
  const listed = tableUnder('Infrastructure answers').map(([code, status, text]) => [code, status, text])
  const defined = Object.entries(edgeErrors).map(([code, { status, text }]) => {
    return [`\`${code}\``, String(status), text]
  })
  expect(listed).toEqual(defined)
})

test('docs/errors.md says when each occurs', () => {
  for (const [code, , , when] of tableUnder('Infrastructure answers')) expect(when, code).toBeTruthy()
})

test('docs/errors.md lists every reason why a run ends', () => {
  const reasons = stopReasons()
  expect(reasons).toEqual(expect.arrayContaining(['answer', 'deadline', 'internal']))
  expect(tableUnder('How a run ends').map(([reason]) => reason)).toEqual(
    reasons.map(reason => `\`${reason}\``),
  )
})

test('docs/errors.md gives each reason a status of the interface and a meaning', () => {
  for (const [reason, status = '', meaning] of tableUnder('How a run ends')) {
    expect(status, reason).toMatch(/^`(success|error|timeout)`( or `error`)?$/)
    expect(meaning, reason).toBeTruthy()
  }
})

test('every infrastructure answer is a 4xx or 5xx', () => {
  for (const { status } of Object.values(edgeErrors)) {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
  }
})

test('an EdgeError carries its code, status and headers, and adds the detail to its text', () => {
  const plain = new EdgeError('unauthorized')
  expect(plain).toBeInstanceOf(Error)
  expect(plain).toMatchObject({
    name: 'EdgeError',
    code: 'unauthorized',
    status: 401,
    message: 'a valid bearer token is required',
    headers: {},
  })
  const detailed = new EdgeError('body_too_large', 'the limit is 5 bytes', { 'X-Limit': '5' })
  expect(detailed).toMatchObject({
    status: 413,
    message: 'the body is too large: the limit is 5 bytes',
    headers: { 'X-Limit': '5' },
  })
})
