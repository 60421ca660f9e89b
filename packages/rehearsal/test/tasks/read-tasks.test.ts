import {
  judge,
  parseTasks,
  readTasks,
  SHIPPED_TASKS,
  TaskFileError,
} from '@agent-task-service/rehearsal/tasks'
import { describe, expect, test } from 'vitest'

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

test('each task that ships has a name of its own', async () => {
  const { tasks } = await readTasks(SHIPPED_TASKS)
  expect(new Set(tasks.map(({ name }) => name)).size).toBe(tasks.length)
})

test.for([
  [
    'fractions',
    ['0.5', '1/2', '½', String.raw`\frac{1}{2}`, String.raw`\tfrac12`, 'one half'],
    ['0.25', '1/3', '1/24'],
  ],
  [
    'percentage change',
    ['50%', '50 percent', '50 per cent', 'Fifty per cent', String.raw`50\,\%`],
    ['From 50 to 75, 25%', '25 percent'],
  ],
  ['sine', ['0.5', '1/2', String.raw`\frac{1}{2}`], ['1/20']],
  [
    'date after days',
    ['2026-04-15', '15 Apr 2026', 'Wed Apr 15 2026', 'April 15th', '4/15/2026', '15.04.2026'],
    ['2026-04-14', 'April 5'],
  ],
] as const)('%s: right in every usual notation', async ([name, right, wrong]) => {
  const task = (await readTasks(SHIPPED_TASKS)).tasks.find(one => one.name === name)!
  const now = new Date()
  const isRight = (output: string) =>
    judge(task.expect, { status: 'success', output }, { from: now, to: now }).length === 0
  expect(right.filter(output => !isRight(output))).toEqual([])
  expect(wrong.filter(isRight)).toEqual([])
})

test('a complete task', () => {
  const text = `
tasks:
  - name: a name
    input: |
      two
      lines
    config: { system_prompt: '', max_tokens: 5, enabled_tools: [time], audience: pupils }
    expect: { status: error }
`
  expect(parseTasks(text, 'a.yaml')).toEqual({
    tasks: [
      {
        name: 'a name',
        input: 'two\nlines\n',
        config: { system_prompt: '', max_tokens: 5, enabled_tools: ['time'], audience: 'pupils' },
        expect: { status: 'error' },
      },
    ],
  })
})

test('reads JSON too, even indented by tabs', () => {
  const json = JSON.stringify({ tasks: [{ input: 'a "b"\n\u00e9', expect: { number: 1.5e3 } }] }, null, '\t')
  const [task] = parseTasks(json, 'a.json').tasks
  expect(task).toEqual({
    input: 'a "b"\n\u00e9',
    expect: { status: 'success', number: [{ value: 1500 }] },
  })
})

test.for([
  ['{ equals: "2496" }', { equals: '2496' }],
  ['{ contains: [a, b] }', { contains: { all: ['a', 'b'] } }],
  ['{ contains: { any: [a, b] } }', { contains: { any: ['a', 'b'] } }],
  ['{ pattern: "^a(?i:b)$" }', { pattern: '^a(?i:b)$' }],
  ['{ number: -3.5 }', { number: [{ value: -3.5 }] }],
  ['{ number: [1, { value: 3, relative: 0.1 }] }', { number: [{ value: 1 }, { value: 3, relative: 0.1 }] }],
  ['{ time: { now: Asia/Tokyo, within_sec: 60 } }', { time: [{ now: 'Asia/Tokyo', within_sec: 60 }] }],
  ['{ time: { at: 07:30 } }', { time: [{ at: '07:30', within_sec: 0 }] }],
  ['{ number: 1, contains: a }', { number: [{ value: 1 }], contains: { all: ['a'] } }],
] as const)('expects %s', ([text, expected]) => {
  expect(expectationOf(text)).toEqual({ status: 'success', ...expected })
})

describe('says where the file is wrong', () => {
  const task = 'input: a\n    expect: { number: 1 }'

  /** The place of each problem: the file and the task's line, then the field. */
  const placesOf = (text: string) =>
    problemsOf(text).map(problem => problem.split(/: (?:expected|Unrecognized)/)[0])

  test.for([
    ['[]', 'a.yaml:1'],
    ['', 'a.yaml:1'],
    ['tasks: []', 'a.yaml:1: tasks'],
    ['tasks: [5]', 'a.yaml:1: tasks[0]'],
    [`tasks:\n  - ${task}\n  - input: 5\n    expect: { number: 1 }`, 'a.yaml:4: tasks[1].input'],
    ['tasks:\n  - input: a\n    inputs: b\n    expect: { number: 1 }', 'a.yaml:2: tasks[0]'],
  ])('%j', ([text, place]) => expect(placesOf(text!)).toEqual([place]))

  test.for([
    ['5', ''],
    ['{}', ''],
    ['{ status: ok }', '.status'],
    ['{ equal: a, status: error }', ''],
    ['{ contains: [a, 5] }', '.contains'],
    ['{ contains: { any: [] } }', '.contains.any'],
    ['{ pattern: "(" }', '.pattern'],
    ['{ number: .nan }', '.number'],
    ['{ number: { value: 1, absolute: -1 } }', '.number'],
    ['{ time: { now: Mars/Base, within_sec: 60 } }', '.time'],
    ['{ time: { at: "24:00" } }', '.time'],
    ['{ json: { type: nothing } }', '.json'],
  ])('expect: %s', ([value, place]) => {
    expect(placesOf(`tasks:\n  - input: a\n    expect: ${value}`)).toEqual([
      `a.yaml:2: tasks[0].expect${place}`,
    ])
  })

  test.for([
    ['{ max_tokens: 0 }', '.max_tokens'],
    ['{ enabled_tools: time }', '.enabled_tools'],
    ['[]', ''],
  ])('config: %s', ([value, place]) => {
    expect(placesOf(`tasks:\n  - ${task}\n    config: ${value}`)).toEqual([
      `a.yaml:2: tasks[0].config${place}`,
    ])
  })

  test('says what was expected and what it got', () => {
    expect(problemsOf('tasks:\n  - input: a\n    expect: { time: { at: "7:30" } }')).toEqual([
      'a.yaml:2: tasks[0].expect.time: expected { now: <time zone>, within_sec }, or { at: "<hh:mm>", within_sec }, got an object',
    ])
    expect(problemsOf('tasks: []\ntasks: []')).toEqual(['a.yaml:2: Map keys must be unique'])
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
