import type { Assertion, Group, Report } from '@agent-task-service/rehearsal/report'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { reportJunit } from '../../command/report-junit.ts'
import { reportText, summaryText } from '../../command/report-text.ts'

const plain = { color: false }

function assertion(id: string, change: Partial<Assertion> = {}): Assertion {
  const texts = { title: `what ${id} says`, why: 'The contract.', how: 'curl x', seconds: 0.25 }
  return { id, verdict: 'pass', mandatory: true, detail: null, ...texts, ...change }
}

const passed = assertion('health.a')
const failed = assertion('health.b', { verdict: 'fail', detail: 'expected 1, got 2', how: 'curl x\ncurl y' })
const advised = assertion('health.c', { verdict: 'fail', detail: 'slow', mandatory: false })
const notRun = assertion('logs.a', { verdict: 'not_run', detail: 'no log' })
const alsoNotRun = assertion('logs.b', { verdict: 'not_run', detail: 'no log' })
const notAdvised = assertion('logs.c', { verdict: 'not_run', detail: 'no token', mandatory: false })

function report(groups: readonly Group[], change: Partial<Report> = {}): Report {
  return {
    url: 'http://127.0.0.1:8080',
    agentId: 'agent-7',
    startedAt: '2026-11-21T12:00:00.000Z',
    finishedAt: '2026-11-21T12:00:07.500Z',
    verdict: 'failed',
    requests: 134,
    groups,
    ...change,
  }
}

const group = (id: Group['id'], assertions: readonly Assertion[], state: Group['state'] = 'done'): Group => ({
  id,
  title: `Group ${id}`,
  state,
  assertions,
})

const whole = report([
  group('health', [passed, failed, advised]),
  group('logs', [notRun, alsoNotRun, notAdvised]),
])

test('text: a line for each assertion', () => {
  expect(reportText(whole, plain)).toBe(`Group health
  ✓ what health.a says health.a
  ✗ Not so: what health.b says health.b
  ! Not so: what health.c says health.c (advisory)

Group logs
  ? what logs.a says logs.a
  ? what logs.b says logs.b
  ? what logs.c says logs.c (advisory)`)
})

test('text: the summary has what did not pass, in full, the most serious last', () => {
  expect(summaryText(whole, plain)).toBe(`FAILED: something mandatory failed
1 of 6 assertions passed; 134 requests to http://127.0.0.1:8080 in 7.5 s

advisory not run: 1
  ? what logs.c says logs.c (advisory)
      not run: no token

advisory failed: 1
  ! Not so: what health.c says health.c (advisory)
      slow
      why: The contract.
      see: curl x

mandatory not run: 2
  ? what logs.a says logs.a
  ? what logs.b says logs.b
      not run: no log

mandatory failed: 1
  ✗ Not so: what health.b says health.b
      expected 1, got 2
      why: The contract.
      see: curl x
           curl y`)
  const means = { runs: 48, seconds: 0.84, inputTokens: 560, outputTokens: 41, steps: 3.1 }
  const good = report([group('health', [passed])], { verdict: 'passed', means })
  expect(summaryText(good, plain)).toBe(`PASSED: everything mandatory passed
1 of 1 assertion passed; 134 requests to http://127.0.0.1:8080 in 7.5 s
Means of 48 runs: 0.84 s, 560 tokens in, 41 out, 3.1 steps`)
  expect(summaryText(report([], { verdict: 'incomplete' }), plain)).toMatch(
    /^INCOMPLETE: .*\nNo assertion was checked; 134 requests to /,
  )
})

test('text: begins with how long the checks take, and whether that is more than they were given', () => {
  const estimate = { runSeconds: 8.5, seconds: 410 }
  const groups = [group('health', [passed]), group('logs', [notRun])]
  const textOf = (limit: object) =>
    reportText(report(groups, { estimate: { ...estimate, ...limit } }), plain).split('\n')[1]
  expect(reportText(report(groups, { estimate }), plain)).toBe(`Group health
  A run takes 8.5 s: these checks take about 7 min
  ✓ what health.a says health.a

Group logs
  ? what logs.a says logs.a`)
  const slower = { ...groups[1]!, estimate: { runSeconds: 30, seconds: 1_500 } }
  expect(reportText(report([groups[0]!, slower], { estimate }), plain)).toContain(
    'Group logs\n  A run takes 30 s: these checks take about 25 min\n',
  )
  expect(textOf({ runs: 120, runTokens: 580 })).toBe(
    `${textOf({})}, and at most 240 runs, of 580 tokens each`,
  )
  expect(textOf({ limitSeconds: 600 })).toBe(textOf({}))
  expect(textOf({ limitSeconds: 60 })).toBe(
    `${textOf({})}, of which 60 s were given: what does not fit is named`,
  )
})

test('text: an earlier state is a prefix of a later one', () => {
  const states = [
    report([group('health', [], 'waiting'), group('logs', [], 'waiting')]),
    report([group('health', [], 'underway'), group('logs', [], 'waiting')]),
    report([group('health', [passed, failed], 'underway'), group('logs', [], 'waiting')]),
    report([group('health', [passed, failed, advised]), group('logs', [notRun], 'underway')]),
    whole,
  ]
  const texts = states.map(state => reportText(state, plain))
  for (const [index, text] of texts.entries())
    expect(texts.at(-1)!.startsWith(text), `state ${index}`).toBe(true)
  expect(texts[0]).toBe('')
})

test('text: colour only on terminals', () => {
  expect(reportText(whole, plain) + summaryText(whole, plain)).not.toContain('\u001b')
  expect(reportText(whole, { color: true })).toContain('\u001b[31m✗\u001b[39m')
  expect(summaryText(whole, { color: true })).toContain('\u001b[')
})

test('JUnit: mandatory failures fail, mandatory not_run are errors, the rest is skipped', () => {
  const xml = reportJunit({ ...whole, cause: 'Its last lines: no model configured' })
  expect(XMLValidator.validate(xml)).toBe(true)
  const { testsuites } = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(xml)
  expect(testsuites).toMatchObject({
    name: 'acceptance checks of http://127.0.0.1:8080',
    tests: '6',
    failures: '1',
    errors: '2',
    skipped: '2',
  })
  const [health, logs] = testsuites.testsuite
  expect(health).toMatchObject({
    name: 'Group health',
    tests: '3',
    failures: '1',
    errors: '0',
    skipped: '1',
    time: '0.75',
  })
  expect(health.testcase[0]).toEqual({
    classname: 'health',
    name: 'health.a: what health.a says',
    time: '0.25',
  })
  expect(health.testcase[1].failure).toMatchObject({
    message: 'expected 1, got 2',
    '#text': expect.stringContaining('why: The contract.\nsee: curl x\ncurl y'),
  })
  expect(health.testcase[2]).toMatchObject({ skipped: '', 'system-out': expect.stringContaining('slow') })
  expect(logs.testcase[0].error).toMatchObject({ message: 'no log', type: 'not_run' })
  expect(logs.testcase[2]).toMatchObject({ skipped: '' })
})

test('JUnit: times are in whole milliseconds', () => {
  const timed = [0.1, 0.2, 0.0004].map(seconds => ({ ...passed, seconds }))
  const xml = reportJunit(report([group('health', timed)]))
  expect(xml.match(/ time="[^"]*"/g)).toEqual([' time="0.3"', ' time="0.1"', ' time="0.2"', ' time="0"'])
})

test("JUnit: an agent's text cannot break it", () => {
  const nasty = '<b>&amp; "quotes" \' ]]> \u0000\u0008\u001b[31m \ud800 \ufffe 🤖 é'
  const xml = reportJunit(report([group('health', [{ ...failed, detail: nasty, how: nasty, title: nasty }])]))
  expect(XMLValidator.validate(xml)).toBe(true)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML must not contain these
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
  const { testsuites } = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(xml)
  expect(testsuites.testsuite.testcase.failure.message).toContain('<b>&amp; "quotes" \' ]]>')
  expect(testsuites.testsuite.testcase.failure.message).toContain('🤖 é')
})
