import { randomUUID } from 'node:crypto'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

// EVIDENCE-OF docs/reference/fleet.md: Without Redis, a process that is killed takes its record with it, and one that has
//   more than 32 MB of failed tasks' effects forgets the oldest, with a line in the log.
test('the effects of too many failed tasks: a line says which one is forgotten', async () => {
  const large = () => ['x', 'y', 'z'].map(() => ({ type: 'text', text: 'x'.repeat(21_000) }))
  const pay = tool('pay', large, { readOnlyHint: false })
  const model = new ScriptedModel(({ messages }) =>
    messages.some(({ type }) => type === 'tool')
      ? new Error('gone')
      : { toolCalls: [{ name: 'pay' }, { name: 'pay' }] },
  )
  const service = await testService({}, { models: [model.named()], tools: [pay] })
  const ids = Array.from({ length: 140 }, () => randomUUID())
  for (const task_id of ids) await service.run('Pay', undefined, task_id)
  const forgotten = service.lines.filter(({ msg }) => String(msg).startsWith('effects forgotten'))
  expect(forgotten[0]).toMatchObject({ level: 'warn', task_id: ids[0] })
})
