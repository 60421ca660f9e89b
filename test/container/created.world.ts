import { expect, test } from 'vitest'
import { CreatedAgent } from '../created/agent.ts'
import { postTask, serve } from './container.ts'
import { command } from './image.ts'

test('an image of an agent that npm run create has made answers the task of its README, and drains', async () => {
  const { input, task_id } = new CreatedAgent(process.env.PROJECT!).task
  const { pid, exited } = await serve(command)
  expect(await (await postTask(input, task_id)).json()).toMatchObject({ status: 'success' })
  process.kill(pid, 'SIGTERM')
  expect(await exited).toBe(0)
})
