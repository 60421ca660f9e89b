import type { ServerResponse } from 'node:http'
import type { RunRequest } from '@agent-task-service/wire/contract'
import type { Context } from 'hono'
import { LRUCache } from 'lru-cache'
import type { Log } from '../log/log.ts'
import { encodeReply } from '../replies/encode-reply.ts'
import type { FleetMetrics } from '../run/observer.ts'
import type { StreamListener } from '../tasks/event-feed.ts'
import type { SubmittedTask, Tasks } from '../tasks/join-and-replay.ts'
import { taskIdForLog } from '../tasks/run-task.ts'
import type { EdgeEnv } from './env.ts'
import { streamRun, wantsStream } from './event-stream.ts'

/** `POST /run` for a valid request: replies with the result, or streams the run's events if the caller asks for them. */
export function postRun(tasks: Tasks, log: Log, metrics: FleetMetrics | undefined) {
  const unread = unreadReplies(log)
  return async (c: Context<EdgeEnv, '/run', { out: { json: RunRequest } }>): Promise<Response> => {
    const request = c.req.valid('json')
    // The bytes and the text that it was parsed from, which would stay in memory as long as the run.
    c.req.bodyCache = {}
    const arrivedAt = c.get('arrivedAt')
    const task_id = taskIdForLog(request.task_id)
    const caller = c.get('caller')
    const begin = async (watch?: StreamListener): Promise<Pick<SubmittedTask, 'response'>> => {
      const { signal } = c.req.raw
      const submission = { request, arrivedAt, signal, caller, observed: c.get('observed') }
      const { response, sharing } = await tasks.submit(submission, watch)
      // The run logs its own line; a request that shares it gets one here.
      if (sharing) metrics?.task(sharing)
      if (sharing === 'joined') log.info({ task_id, ...caller }, 'joined')
      if (sharing === 'replayed') {
        log.info({ task_id, ...caller }, 'replayed')
        c.header('Idempotent-Replayed', 'true')
      }
      c.set('reply', response)
      const outgoing = c.env?.outgoing
      if (outgoing)
        response.then(
          reply => {
            unread.set(outgoing, task_id, { size: encodeReply(reply).byteLength })
            outgoing.once('close', () => unread.delete(outgoing))
          },
          () => undefined,
        )
      return { response }
    }
    if (wantsStream(c)) return await streamRun(c, arrivedAt, request.task_id, begin)
    const { response } = await begin()
    const reply = await response
    if (reply.unknownEffects) c.header('Effect-Unknown', reply.unknownEffects.join(', '))
    return c.body(encodeReply(reply), 200, { 'Content-Type': 'application/json' })
  }
}

/** Longest replies that may wait for slow callers, all together, in bytes. */
const MAX_UNREAD_BYTES = 64 * 2 ** 20

/** Replies that their callers have not read yet. If they add up to too much, the oldest are given up. */
function unreadReplies(log: Log): LRUCache<ServerResponse, string> {
  return new LRUCache({
    maxSize: MAX_UNREAD_BYTES,
    dispose(task_id, connection, reason) {
      if (reason !== 'evict') return
      log.warn({ task_id }, 'reply not read')
      connection.destroy()
    },
  })
}
