import { expect, test } from 'vitest'
import { testService } from '../support/service.ts'

test('a task comes in and a correct answer goes out, with no key and no network', async () => {
  const { run, lines } = await testService()
  expect(await run('What is 15% of 240?')).toEqual({
    task_id: 'test-1',
    status: 'success',
    output: '15% of 240 = 36',
    metrics: {
      duration_sec: expect.any(Number),
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
      steps: 3,
    },
  })
  // Added tools may lack their secrets, and say so first.
  expect(lines.filter(({ msg }) => msg === 'run')).toMatchObject([
    { task_id: 'test-1', status: 'success', stop: 'answer', steps: 3 },
  ])
  expect(lines.at(-1)?.msg).toBe('run')
})
