import { readFileSync } from 'node:fs'
import { edgeErrors } from '@agent-task-service/engine/edge-errors'
import { expect, test } from 'vitest'

const docs = readFileSync(new URL('../../../../docs/reference/errors.md', import.meta.url), 'utf8')

/** The cells of each table row under a heading in docs/reference/errors.md, without the head. */
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

// EVIDENCE-OF docs/reference/errors.md: A run that failed or timed out gets status 200 and says so in `status`. 4xx and 5xx mean
//   infrastructure: the request never became a run.
test('docs/reference/errors.md lists every infrastructure answer with its status and text', () => {
  const listed = tableUnder('Infrastructure answers').map(([code, status, text]) => [code, status, text])
  const defined = Object.entries(edgeErrors).map(([code, { status, text }]) => {
    return [`\`${code}\``, String(status), text]
  })
  expect(listed).toEqual(defined)
})

test('docs/reference/errors.md gives each reason a status of the interface and a meaning', () => {
  for (const [reason, status = '', meaning] of tableUnder('How a run ends')) {
    expect(status, reason).toMatch(/^`(success|error|timeout)`( or `error`)?$/)
    expect(meaning, reason).toBeTruthy()
  }
})
