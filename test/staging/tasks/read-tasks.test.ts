import { describe, expect, test } from 'vitest'
import { SHIPPED_TASKS } from '../../../staging/checks/run-checks.ts'
import { parseTasks, readTasks, TaskFileError } from '../../../staging/tasks/read-tasks.ts'

/** The expectation of the one task in a file. */
function expectationOf(expect: string) {
  return parseTasks(`tasks:\n  - input: a\n    expect: ${expect}\n`, 'a.yaml').tasks[0]?.expect
}

function problemsOf(text: string): readonly string[] {
  try {
    parseTasks(text, 'a.yaml')
  } catch (error) {
    if (error instanceof TaskFileError) return error.message.split('\n')
    throw error
  }
  throw new Error('expected a TaskFileError, got none')
}

test('thirty-two tasks ship, each with its own name', async () => {
  const { tasks } = await readTasks(SHIPPED_TASKS)
  expect(tasks).toHaveLength(32)
  expect(new Set(tasks.map(({ name }) => name)).size).toBe(32)
  expect(new Set(tasks.map(({ input }) => input)).size).toBe(32)
})

test('every kind of expectation ships', async () => {
  const { tasks } = await readTasks(SHIPPED_TASKS)
  const kinds = new Set(tasks.flatMap(task => Object.keys(task.expect)))
  expect([...kinds].sort()).toEqual(['contains', 'equals', 'number', 'pattern', 'status', 'time'])
})

test('a complete task', () => {
  const text = `
tasks:
  - name: a name
    input: |
      two
      lines
    config: { system_prompt: '', max_tokens: 5, enabled_tools: [time] }
    expect: { status: error }
`
  expect(parseTasks(text, 'a.yaml')).toEqual({
    tasks: [
      {
        name: 'a name',
        input: 'two\nlines\n',
        config: { system_prompt: '', max_tokens: 5, enabled_tools: ['time'] },
        expect: { status: 'error' },
      },
    ],
  })
})

test('reads JSON too, even indented by tabs', () => {
  const json = JSON.stringify(
    { tasks: [{ input: 'a "b"\n\u00e9 \u{1f916}', expect: { number: 1.5e3 } }] },
    null,
    '\t',
  )
  expect(parseTasks(json, 'a.json').tasks).toEqual([
    { input: 'a "b"\n\u00e9 \u{1f916}', expect: { status: 'success', number: [{ value: 1500 }] } },
  ])
})

test.for([
  ['{ equals: "2496" }', { equals: '2496' }],
  ['{ contains: a }', { contains: { all: ['a'] } }],
  ['{ contains: [a, b] }', { contains: { all: ['a', 'b'] } }],
  ['{ contains: { any: [a, b] } }', { contains: { any: ['a', 'b'] } }],
  ['{ pattern: "^a(?i:b)$" }', { pattern: '^a(?i:b)$' }],
  ['{ number: -3.5 }', { number: [{ value: -3.5 }] }],
  ['{ number: { value: 3, absolute: 0.1 } }', { number: [{ value: 3, absolute: 0.1 }] }],
  ['{ number: [1, { value: 3, relative: 0.1 }] }', { number: [{ value: 1 }, { value: 3, relative: 0.1 }] }],
  ['{ time: { now: Asia/Tokyo, within_sec: 60 } }', { time: [{ now: 'Asia/Tokyo', within_sec: 60 }] }],
  ['{ time: { at: "07:30" } }', { time: [{ at: '07:30', within_sec: 0 }] }],
  ['{ time: { at: 07:30 } }', { time: [{ at: '07:30', within_sec: 0 }] }],
  ['{ number: 1, contains: a }', { number: [{ value: 1 }], contains: { all: ['a'] } }],
] as const)('expects %s', ([text, expected]) => {
  expect(expectationOf(text)).toEqual({ status: 'success', ...expected })
})

describe('reports what is wrong with its file, line, task and field', () => {
  test.for([
    ['[]', 'a.yaml: expected an object with tasks, got an array'],
    ['', 'a.yaml: expected an object with tasks, got null'],
    ['tasks: 5', 'a.yaml:1: tasks: expected a list of tasks, got the number 5'],
    ['tasks: []', 'a.yaml:1: tasks: expected at least one task, got none'],
    ['tasks: [5]', 'a.yaml:1: task 1: expected an object with input and expect, got the number 5'],
    [
      'tasks: [\n',
      'a.yaml:2: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['tasks: []\ntasks: []', 'a.yaml:2: Map keys must be unique'],
  ])('%j', ([text, problem]) => {
    expect(problemsOf(text!)).toEqual([problem])
  })

  test.for([
    ['input: 5', 'a.yaml:4: task 2 ("p"), input: expected a text, got the number 5'],
    ['input: ""', 'a.yaml:4: task 2 ("p"), input: expected a text, got an empty string'],
    [
      'inputs: a',
      'a.yaml:3: task 2 ("p"), input: expected a text, got nothing',
      'a.yaml:3: task 2 ("p"): unknown member "inputs"',
    ],
  ])('%s', ([line, ...problems]) => {
    const text = `tasks:\n  - { input: a, expect: { number: 1 } }\n  - name: p\n    ${line}\n    expect: { number: 1 }\n`
    expect(problemsOf(text)).toEqual(problems)
  })

  test.for([
    ['5', ': expected an object, got the number 5'],
    [
      '{}',
      ': expected at least one of equals, contains, pattern, number, time, or a status other than success',
    ],
    [
      '{ status: success }',
      ': expected at least one of equals, contains, pattern, number, time, or a status other than success',
    ],
    ['{ status: ok }', '.status: expected "success", "error" or "timeout", got the string "ok"'],
    ['{ equal: a, status: error }', ': unknown member "equal"'],
    ['{ equals: 5 }', '.equals: expected a text, got the number 5'],
    [
      '{ contains: 5 }',
      '.contains: expected a text, a list of required texts, or { any: <list> }, got the number 5',
    ],
    [
      '{ contains: [] }',
      '.contains: expected a text, a list of required texts, or { any: <list> }, got an array',
    ],
    ['{ contains: [a, 5] }', '.contains.1: expected a text, got the number 5'],
    ['{ contains: { any: [] } }', '.contains.any: expected at least one text, got none'],
    [
      '{ contains: { all: [a] } }',
      '.contains: expected a text, a list of required texts, or { any: <list> }, got an object',
    ],
    ['{ pattern: "(" }', '.pattern: expected a regular expression, got the string "("'],
    ['{ number: x }', '.number: expected a number, or { value, absolute, relative }, got the string "x"'],
    ['{ number: .nan }', '.number: expected a number, or { value, absolute, relative }, got the number NaN'],
    ['{ number: { value: x } }', '.number.value: expected a number, got the string "x"'],
    [
      '{ number: { value: 1, absolute: -1 } }',
      '.number.absolute: expected a number, 0 or more, got the number -1',
    ],
    [
      '{ number: [1, x] }',
      '.number.1: expected a number, or { value, absolute, relative }, got the string "x"',
    ],
    [
      '{ time: { now: Mars/Base, within_sec: 60 } }',
      '.time.now: expected a time zone such as Europe/Berlin, got the string "Mars/Base"',
    ],
    ['{ time: { now: UTC } }', '.time.within_sec: expected a number, 0 or more, got nothing'],
    [
      '{ time: { at: "7:30" } }',
      '.time.at: expected a time such as "07:30" or "07:30:15", got the string "7:30"',
    ],
    [
      '{ time: { at: "24:00" } }',
      '.time.at: expected a time such as "07:30" or "07:30:15", got the string "24:00"',
    ],
    [
      '{ time: 5 }',
      '.time: expected { now: <time zone>, within_sec }, or { at: "<hh:mm>", within_sec }, got the number 5',
    ],
  ])('expect: %s', ([value, problem]) => {
    expect(problemsOf(`tasks:\n  - input: a\n    expect: ${value}\n`)).toEqual([
      `a.yaml:3: task 1, expect${problem}`,
    ])
  })

  test.for([
    ['{ max_tokens: 0 }', '.max_tokens: expected an integer, 1 or more, got the number 0'],
    ['{ max_tokens: 1.5 }', '.max_tokens: expected an integer, 1 or more, got the number 1.5'],
    ['{ enabled_tools: time }', '.enabled_tools: expected a list of tool names, got the string "time"'],
    ['{ system_prompt: 5 }', '.system_prompt: expected a text, got the number 5'],
    ['{ temperature: 0 }', ': unknown member "temperature"'],
    ['[]', ': expected an object, got an array'],
  ])('config: %s', ([value, problem]) => {
    const text = `tasks:\n  - input: a\n    config: ${value}\n    expect: { number: 1 }\n`
    expect(problemsOf(text)).toEqual([`a.yaml:3: task 1, config${problem}`])
  })

  test('undefined aliases, and endless ones', () => {
    expect(problemsOf('tasks: *nobody')).toEqual([expect.stringMatching(/^a\.yaml.*nobody/)])
    const list = (of: string) => `[${`${of}, `.repeat(9)}]`
    const text = `a: &a ${list('x')}\nb: &b ${list('*a')}\nc: &c ${list('*b')}\ntasks: ${list('*c')}\n`
    expect(problemsOf(text)).toEqual([expect.stringMatching(/^a\.yaml: Excessive alias count/)])
  })

  test('all at once', () => {
    const text = 'tasks:\n  - input: 5\n    expect: {}\n  - expect: { number: 1 }\n'
    expect(problemsOf(text)).toHaveLength(3)
  })

  test('a missing file', async () => {
    await expect(readTasks('/nowhere/a.yaml')).rejects.toThrow(
      '/nowhere/a.yaml: expected a readable file, got ENOENT',
    )
  })
})
