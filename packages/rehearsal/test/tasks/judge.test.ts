import { judge, parseTasks } from '@agent-task-service/rehearsal/tasks'
import { describe, expect, test } from 'vitest'
import { numbersIn, timesIn } from '../../tasks/numbers-and-times.ts'

const NOON = new Date('2026-11-21T12:00:00Z')

/** What is wrong with an output, for an expectation in YAML. */
function problems(expected: string, output: unknown, from = NOON, to = from): string[] {
  const [task] = parseTasks(`tasks:\n  - input: a\n    expect: ${expected}\n`, 'a.yaml').tasks
  return judge(task!.expect, { status: 'success', output }, { from, to })
}

const right = (expected: string, output: string) => expect(problems(expected, output)).toEqual([])
const wrong = (expected: string, output: string) => expect(problems(expected, output)).toHaveLength(1)

describe('status', () => {
  test('the expected one', () => {
    const when = { from: NOON, to: NOON }
    expect(judge({ status: 'error' }, { status: 'error', output: '' }, when)).toEqual([])
    expect(judge({ status: 'timeout' }, { status: 'timeout' }, when)).toEqual([])
  })

  test('another one: reported with its error, and nothing else is examined', () => {
    const answer = { status: 'error', output: '', error: 'no model' }
    expect(judge({ status: 'success', equals: 'x' }, answer, { from: NOON, to: NOON })).toEqual([
      'expected the status "success", got the string "error": "no model"',
    ])
    expect(judge({ status: 'error' }, {}, { from: NOON, to: NOON })).toEqual([
      'expected the status "error", got nothing',
    ])
  })
})

test('JSON of a schema', () => {
  const schema = '{ json: { type: object, required: [to], properties: { to: { enum: [sales, support] } } } }'
  right(schema, '{"to":"sales"}')
  for (const output of ['{}', '{"to":"nobody"}', 'sales']) wrong(schema, output)
  expect(problems(schema, '{}')[0]).toContain("must have required property 'to'")
})

test('reports what is wrong with what it got', () => {
  expect(problems('{ equals: a, number: 7 }', 'b 8')).toEqual([
    'expected the text "a", got "b 8"',
    'expected the number 7, got "b 8"',
  ])
  expect(problems('{ equals: a }', undefined)).toEqual(['expected the text "a", got nothing'])
  expect(problems('{ equals: a }', { a: 1 })).toEqual(['expected the text "a", got an object'])
  expect(problems('{ equals: a }', 'x'.repeat(1000))[0]).toHaveLength(230)
})

test('texts', () => {
  right('{ equals: "2496" }', ' 2496\n')
  wrong('{ equals: "2496" }', '2496.')
  wrong('{ equals: abc }', 'ABC')
  right('{ contains: thursday }', 'It was a Thursday.')
  wrong('{ contains: thursday }', 'It was a Friday.')
  right('{ contains: [a, b] }', 'B and A')
  wrong('{ contains: [a, b] }', 'only A')
  right('{ contains: { any: [x, b] } }', 'only B')
  wrong('{ contains: { any: [x, z] } }', 'only B')
  right('{ pattern: "^a.c$" }', 'abc')
  wrong('{ pattern: "^a.c$" }', 'ABC')
  right('{ pattern: "(?i:^a.c$)" }', 'ABC')
})

describe('numbers', () => {
  test.for([
    ['15% of 240 = 36', [15, 240, 36]],
    ['1,099,511,627,776', [1_099_511_627_776]],
    ["1'234.5", [1234.5]],
    ['= −3.75', [-3.75]],
    ['5 -3', [5, 3]],
    ['(-4)', [-4]],
    ['2026-04-15', [2026, 4, 15]],
    ['1.5e3 and 2E-2', [1500, 0.02]],
    ['1.2 × 10^6', [1_200_000]],
    ['3 * 10**2', [300]],
    [String.raw`1{,}099{,}511 and 1\,099\,511`, [1_099_511]],
    [String.raw`3 \times 10^{-2}`, [0.03]],
    ['2,5 Liter', [2, 5, 2.5]],
    [String.raw`it is \frac{1}{2}`, [1, 2, 0.5]],
    [String.raw`\dfrac43 cups`, [4, 3, 4 / 3]],
    ['-3/4', [-3, 4, -0.75]],
    ['½ cup', [1, 2, 0.5]],
    ['04/15/2026', [4, 15, 2026]],
    ['Three hundred and ninety-one.', [391]],
    ['minus two point seven five', [-2.75]],
    ['one million, two hundred thousand and six', [1_200_006]],
    ['Here is one: 7', [7]],
    ['someone is often wrong', []],
    ['$36', [36]],
    ['sqrt2 H2O', []],
  ] as const)('in %j', ([text, expected]) => {
    expect(new Set(numbersIn(text))).toEqual(new Set(expected))
  })

  test('exact except for rounding, unless a tolerance is named', () => {
    right('{ number: 36 }', 'it is 36')
    right('{ number: 0.3 }', '0.30000000000000004')
    wrong('{ number: 36 }', 'it is 36.001')
    wrong('{ number: 36 }', 'it is 136')
    wrong('{ number: 3.75 }', '= -3.75')
    right('{ number: 36 }', 'thirty-six')
    wrong('{ number: 36 }', 'thirty-seven')
  })

  test('within the wider of two tolerances', () => {
    right('{ number: { value: 0, absolute: 0.5 } }', '-0.5')
    wrong('{ number: { value: 10, absolute: 0.5 } }', '10.51')
    right('{ number: { value: -200, relative: 0.01 } }', '-202')
    wrong('{ number: { value: -200, relative: 0.01 } }', '-202.1')
    right('{ number: { value: 100, relative: 0.01, absolute: 5 } }', '105')
    expect(problems('{ number: { value: 100, absolute: 5 } }', '1')).toEqual([
      'expected the number 100 ± 5, got "1"',
    ])
  })

  test('several must all be present', () => {
    right('{ number: [42, 100] }', '42 and 100')
    wrong('{ number: [42, 100] }', '42')
  })
})

describe('times', () => {
  test.for([
    ['07:30', [[27_000, 60]]],
    ['7:30:15', [[27_015, 1]]],
    ['7:30 p.m.', [[70_200, 60]]],
    ['12:05 am', [[300, 60]]],
    ['7 PM', [[68_400, 60]]],
    ['2026-11-21T11:50:55', [[42_655, 1]]],
    ['11:50:55 UTC+09:00', [[42_655, 1]]],
    ['24:00 and 13:00 pm', []],
    ['1:2, 100:20, 12:345', []],
  ] as const)('in %j', ([text, expected]) => {
    expect(timesIn(text).map(({ second, length }) => [second, length])).toEqual(expected)
  })

  test('now, to the minute or the second, in the zone, with a tolerance in both directions', () => {
    right('{ time: { now: Asia/Tokyo, within_sec: 0 } }', '21:00')
    right('{ time: { now: Asia/Tokyo, within_sec: 0 } }', '9:00:00 PM')
    wrong('{ time: { now: Asia/Tokyo, within_sec: 59 } }', '12:00')
    wrong('{ time: { now: UTC, within_sec: 60 } }', 'noon')
    right('{ time: { now: UTC, within_sec: 60 } }', '11:59:00')
    wrong('{ time: { now: UTC, within_sec: 60 } }', '11:58:59')
    right('{ time: { now: UTC, within_sec: 60 } }', '12:01')
    wrong('{ time: { now: UTC, within_sec: 60 } }', '12:02')
  })

  test('any moment of a long run', () => {
    const to = new Date(NOON.getTime() + 100_000)
    expect(problems('{ time: { now: UTC, within_sec: 0 } }', '12:01:40', NOON, to)).toEqual([])
    expect(problems('{ time: { now: UTC, within_sec: 0 } }', '12:01:41', NOON, to)).toEqual([
      'expected the time in UTC (12:01:40) ± 0 s, got "12:01:41"',
    ])
  })

  test('across midnight', () => {
    const midnight = new Date('2026-11-21T23:59:50Z')
    expect(problems('{ time: { now: UTC, within_sec: 30 } }', '00:00:20', midnight)).toEqual([])
    expect(problems('{ time: { now: UTC, within_sec: 30 } }', '00:00:21', midnight)).toHaveLength(1)
  })

  test('a requested time', () => {
    right('{ time: { at: "07:00" } }', 'It is 7 am in Berlin.')
    right('{ time: { at: "07:00" } }', '07:00:59')
    wrong('{ time: { at: "07:00" } }', '07:01')
    wrong('{ time: { at: "07:00" } }', '7:00 pm')
    right('{ time: { at: "00:00", within_sec: 60 } }', '23:59:30')
  })

  test('several must all be present', () => {
    wrong('{ time: [{ at: "07:00" }, { at: "08:00" }] }', '07:00')
    right('{ time: [{ at: "07:00" }, { at: "08:00" }] }', '8:00, 7:00')
  })
})
