import { until } from '@agent-task-service/test-support/until'
import { expect, test } from 'vitest'
import { BodyRoom } from '../../http/body-room.ts'
import { BodyScan } from '../../http/body-scan.ts'

const KB = 1024
const MAX_SIZE = 1024 * KB

/** A body that arrives as the test says. */
function arriving(room: BodyRoom) {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const stream = new ReadableStream<Uint8Array>({
    start(started) {
      controller = started
    },
  })
  const read = { size: undefined as number | undefined, error: undefined as unknown }
  room.read(stream, new BodyScan(MAX_SIZE)).then(
    ({ byteLength }) => {
      read.size = byteLength
    },
    error => {
      read.error = error
    },
  )
  return {
    read,
    /** Resolves once the bytes were taken. */
    async send(bytes: number) {
      controller.enqueue(new Uint8Array(bytes))
      await new Promise(resolve => setImmediate(resolve))
    },
    end: () => controller.close(),
  }
}

test('the body that has been silent longest makes room for one that arrives', async () => {
  const room = new BodyRoom(100 * KB)
  const [silent, slow, small] = [arriving(room), arriving(room), arriving(room)]
  await small.send(KB)
  await silent.send(40 * KB)
  await slow.send(30 * KB)
  await slow.send(10 * KB)
  const last = arriving(room)
  await last.send(40 * KB)
  expect(silent.read.error).toMatchObject({ code: 'full' })
  for (const body of [slow, small, last]) body.end()
  await until(() => last.read.size !== undefined)
  expect([small, slow, last].map(({ read }) => read.size)).toEqual([KB, 40 * KB, 40 * KB])
})

// EVIDENCE-OF docs/guides/deployment.md: Smaller ones are taken as long as there is a slot, so that large tasks do not keep
//   ordinary ones out
// EVIDENCE-OF docs/reference/errors.md: the agent is at capacity; retry later
test('a body is refused if complete ones have the room, and a small one never', async () => {
  const room = new BodyRoom(100 * KB)
  room.hold(90 * KB)
  const [large, small] = [arriving(room), arriving(room)]
  await small.send(16 * KB)
  await large.send(17 * KB)
  expect(large.read.error).toMatchObject({ code: 'full' })
  small.end()
  await until(() => small.read.size !== undefined)
  room.release(90 * KB)
  const next = arriving(room)
  await next.send(80 * KB)
  next.end()
  await until(() => next.read.size === 80 * KB)
})

test('a body over the limit is refused, and leaves its room', async () => {
  const room = new BodyRoom(2 * MAX_SIZE)
  for (let n = 0; n < 5; n += 1) {
    const body = arriving(room)
    await body.send(MAX_SIZE)
    await body.send(1)
    expect(body.read.error).toMatchObject({ code: 'body_too_large' })
  }
})
