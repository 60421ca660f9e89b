import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'
import { callsOf } from './calls.ts'

test.each([
  'Use add with {"a": 1, "b": 2}',
  'use `add` with {"a": 1, "b": 2}',
  '  Use the tool "add" with {"a": 1,\n"b": 2}.\n',
  `Use add with {"a": 1, "b": 2}\n\nregion,amount\n${'North,1\n'.repeat(5_000)}`,
])('%j names a tool and its arguments', async text => {
  expect(await callsOf(text)).toEqual([{ tool: 'add', args: { a: 1, b: 2 } }])
})

test.each([
  'Use add',
  'Use add with {"a": 1',
  'Use add with {a: 1}',
  'Use add with [1, 2]',
  'Call add with {"a": 1}',
  'Could you use add with {"a": 1}',
  'Use add with {"a": 1} and tell me why',
  `Use add with {"a": "${'x'.repeat(20_000)}"}`,
])('%j does not', async text => {
  await expect(callsOf(text)).rejects.toThrow()
})

test('the offline model uses a tool on request', async () => {
  const { run } = await testService({}, { tools: [add] })
  expect(await run('Use add with {"a": 1, "b": 2}')).toMatchObject({
    status: 'success',
    output: '3',
    metrics: { steps: 3 },
  })
  expect(await run('Use add with {"a": "one"}')).toMatchObject({
    status: 'error',
    error: expect.stringMatching(/^add could not do this: the arguments .* do not fit\. a: /),
  })
  expect(await run('Use subtract with {}')).toMatchObject({
    status: 'error',
    error: expect.stringContaining('needs the tool subtract'),
  })
})

// EVIDENCE-OF docs/guides/tools.md: Several such lines `Use … with …` are done one after another, each in a turn of its own
test.each(['', 'One after another:\n'])(
  'several lines are done one after another, below %j',
  async heading => {
    const { run } = await testService({}, { tools: [add] })
    const lines = [1, 2, 3].map(n => `Use add with {"a": ${n}, "b": 10}`)
    expect(await run(heading + lines.join('\n'))).toMatchObject({
      status: 'success',
      output: '11\n12\n13',
      metrics: { steps: 7 },
    })
  },
)

test.each([
  'Use add with {"a": 1, "b": 2}\nand tell me why',
  Array(13).fill('Use add with {"a": 1, "b": 2}').join('\n'),
])('%j is not read', async text => {
  await expect(callsOf(text)).rejects.toThrow()
})

test('reads a hostile text quickly', async () => {
  const text = `use add with ${'{'.repeat(9_000)}${'}'.repeat(9_000)}${' '.repeat(1_000)}x`
  await expect(callsOf(text)).rejects.toThrow()
})
