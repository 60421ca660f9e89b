import { type AddressInfo, createServer } from 'node:net'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { some } from '@agent-task-service/test-support/at-length'
import { Random } from '@agent-task-service/test-support/random'
import { testService } from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import { expect, onTestFinished, test } from 'vitest'

const text = (word: string) => `$${word.length}\r\n${word}\r\n`
const list = (...values: string[]) => `*${values.length}\r\n${values.join('')}`
const push = (...values: string[]) => `>${values.length}\r\n${values.join('')}`
const ODD = [
  ...[':1\r\n', '+OK\r\n', '$-1\r\n', '*-1\r\n', '_\r\n', '#t\r\n', ',1.5\r\n', '*0\r\n', '%0\r\n'],
  ...[text('message'), list(':1\r\n'), list(text('message')), list(text('subscribe'), ':1\r\n')],
  ...[list(text('message'), ':1\r\n', ':2\r\n'), list(text('subscribe'), '$-1\r\n', text('x'))],
  ...[push(text('message')), push(':1\r\n'), push(text('subscribe')), push('$-1\r\n', '$-1\r\n')],
  ...[push(text('message'), '$-1\r\n', '$-1\r\n'), push(text('unsubscribe'), ':1\r\n', text('x'))],
  ...['-ERR no\r\n', '?what\r\n', '$9999999999999\r\n', 'nonsense\r\n'],
]

/** A Redis that answers each command with something of no sense, drawn by the seed; now and then by nothing, or twice. */
async function oddRedis(seed: number) {
  const random = new Random(seed)
  const state = { commands: 0 }
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.on('data', data => {
      for (const _ of data.toString('latin1').match(/^\*\d+\r$/gm) ?? []) {
        state.commands += 1
        const replies = Array.from({ length: random.pick([0, 1, 1, 1, 1, 2]) }, () => random.pick(ODD))
        socket.write(replies.join(''))
      }
    })
  })
  onTestFinished(() => void server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { ...(server.address() as AddressInfo), state }
}

const seeds = Array.from({ length: 40 }, (_, seed) => seed)

test.each(some(seeds, 14))(
  'a Redis that answers without sense, seed %i: tasks are done, and the process goes on',
  async seed => {
    const thrown: unknown[] = []
    const note = (error: unknown) => thrown.push(error)
    process.on('uncaughtExceptionMonitor', note)
    onTestFinished(() => void process.off('uncaughtExceptionMonitor', note))
    const { port, state } = await oddRedis(seed)
    const model = new ScriptedModel(() => 'fine')
    const REDIS_URL = [
      `redis://127.0.0.1:${port}`,
      `redis+sentinel://127.0.0.1:${port}/mymaster`,
      `redis+cluster://127.0.0.1:${port}`,
    ][seed % 3]!
    const service = await testService({ REDIS_URL }, { models: [model.named()] })
    onTestFinished(() => service.close(0))
    await until(() => state.commands > 4)
    const reply = await service.post({ task_id: crypto.randomUUID(), input: 'hello' })
    expect(await reply.json()).toMatchObject({ status: 'success', output: 'fine' })
    expect(thrown).toEqual([])
  },
)
