import type { ExportedRun } from '@agent-task-service/rehearsal/api'
import Papa from 'papaparse'
import { expect, test } from 'vitest'
import { testPlatform } from '../platform.ts'
import { finished } from '../records.ts'

const INPUT = `=HYPERLINK("http://x.example","Größe, ""1""")\n${'long '.repeat(200)}`
const OUTPUT = `-2+3 is the question;\r\n"quoted", ${'whole '.repeat(500)}`

function platform() {
  const { store, call } = testPlatform()
  const config = { max_tokens: 5 }
  const request = JSON.stringify({ task_id: 'test-1', input: INPUT, config })
  store.runs.add(finished({ request, output: OUTPUT }))
  const reply = JSON.stringify({ status: 'error', output: '', error: 'no model', metrics: {} })
  store.runs.add(finished({ status: 'violation', reply, broken: ['first', 'second'] }))
  for (let n = 3; n <= 300; n += 1) store.runs.add(finished({ byChecks: n % 2 === 1 }))
  const file = async (query: string) => {
    const response = await call(`/api/runs/export?${query}`)
    return { headers: response.headers, text: await response.text() }
  }
  return { file }
}

test('CSV: every run that matches, whole texts, and nothing that a spreadsheet takes for a formula', async () => {
  const { headers, text } = await platform().file('format=csv&by=person&sort=oldest')
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('content-disposition')).toMatch(
    /^attachment; filename="runs-\d{4}-\d\d-\d\d-\d{4}\.csv"$/,
  )
  const { data, errors } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true })
  expect(errors).toEqual([])
  expect(data).toHaveLength(151)
  expect(data[0]).toMatchObject({
    ...{ id: '1', agentId: 'agent-7', taskId: 'test-1', status: 'success', wallMs: '100', byChecks: 'false' },
    ...{ input: `'${INPUT}`, output: `'${OUTPUT}`, config: '{"max_tokens":5}', costUsd: '' },
  })
  expect(data[1]).toMatchObject({ status: 'violation', error: 'no model', broken: 'first\nsecond' })
})

test.each([
  ...['\n=1+1', '＝1+1', '@SUM(1)', '\t=1', '-1', '+1', ' =1+1', '\u00a0=1+1', '\ttext'].map(input => ({
    input,
    text: `'${input}`,
  })),
  { input: 'a;=1+1; +2;b', text: "a;'=1+1;' +2;b" },
  { input: 'a; b = 1 - c', text: 'a; b = 1 - c' },
])('CSV: $input is text', async ({ input, text: expected }) => {
  const { store, call } = testPlatform()
  store.runs.add(finished({ request: JSON.stringify({ task_id: 'test-1', input }) }))
  const text = await (await call('/api/runs/export?format=csv')).text()
  const [row] = Papa.parse<Record<string, string>>(text, { header: true, delimiter: ',' }).data
  expect(row!.input).toBe(expected)
})

test('JSON: the same runs with their texts as they are', async () => {
  const { file } = platform()
  const { headers, text } = await file('format=json&by=person&sort=oldest')
  expect(headers.get('content-disposition')).toMatch(/\.json"$/)
  const runs: ExportedRun[] = JSON.parse(text)
  expect(runs).toHaveLength(151)
  expect(runs[0]).toMatchObject({
    id: 1,
    input: INPUT,
    output: OUTPUT,
    config: { max_tokens: 5 },
    costUsd: null,
  })
  expect(runs[1]).toMatchObject({ broken: ['first', 'second'], error: 'no model', config: null })
  expect(JSON.parse((await file('format=json&agent=agent-9')).text)).toEqual([])
})
