import { isUtf8 } from 'node:buffer'
import { MIMEType } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { isObject } from '../../graph/json.ts'
import { AgentContext } from '../../graph/state.ts'
import type { Scrub } from '../scrub.ts'
import { describeIssues, describeValue, echoTaskId, errorResponse, runRequestFor } from '../wire/contract.ts'
import { EdgeError, full } from '../wire/errors.ts'
import type { EdgeEnv } from './env.ts'
import { streamRun, wantsStream } from './event-stream.ts'

/** Accepts only uncompressed JSON in UTF-8, so the bytes counted against the limit are the bytes parsed. */
export const requireJson: MiddlewareHandler = (c, next) => {
  const type = c.req.header('content-type')
  const encoding = c.req.header('content-encoding')
  const refuse = (came: string) => new EdgeError('not_json_media_type', `got ${came}`)
  if (type === undefined) throw refuse('no Content-Type')
  const { essence = '', params } = mediaType(type) ?? {}
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(essence)) throw refuse(describeValue(type))
  const charset = params?.get('charset') ?? 'utf-8'
  if (!/^utf-?8$/i.test(charset)) throw refuse(`the charset ${describeValue(charset)}`)
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw refuse(`the Content-Encoding ${describeValue(encoding)}`)
  return next()
}

function mediaType(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text)
  } catch {
    return undefined
  }
}

/** A body up to this size, in bytes, is taken however many others are held: the number of runs is limited too. */
const SMALL_BODY = 16 * 1024

/**
 * Reads the body. Refuses one that is over `maxSize` bytes, that is not UTF-8 and would reach the model garbled, or that
 * finds no room in memory beside those of the requests in progress.
 */
export function readBody(maxSize: number): MiddlewareHandler<EdgeEnv> {
  const tooLarge = () => {
    throw new EdgeError('body_too_large', `the limit is ${maxSize} bytes`)
  }
  const limitStream = bodyLimit({ maxSize, onError: tooLarge })
  // A run takes up to five times its body: the task, the request to the model, and what is not yet collected.
  const maxHeld = Math.max(getHeapStatistics().heap_size_limit / 6, maxSize)
  let held = 0
  return async (c, next) => {
    const isChunked = c.req.header('transfer-encoding') !== undefined
    const declared = isChunked ? undefined : c.req.header('content-length')
    let size = Number(declared ?? maxSize)
    if (size > maxSize) tooLarge()
    if (size > SMALL_BODY && held + size > maxHeld) throw full()
    held += size
    try {
      // Node never reads past the declared length, so there is no need to stream the body to count it.
      if (declared === undefined) await arrived(limitStream(c, async () => undefined))
      const bytes = await arrived(c.req.arrayBuffer())
      held += bytes.byteLength - size
      size = bytes.byteLength
      if (!isUtf8(bytes)) throw new EdgeError('not_utf8')
      await next()
    } finally {
      // A streamed run goes on after its response has begun.
      void Promise.allSettled([c.get('reply')]).then(() => {
        held -= size
      })
    }
  }
}

/** Reading a body fails only when the connection ends early. */
async function arrived<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading
  } catch (error) {
    throw error instanceof EdgeError ? error : new EdgeError('hang_up')
  }
}

/**
 * Validates the run request. Replies 400 to anything but a JSON object. An invalid request gets 200 in the error shape,
 * since the orchestrator would take a 4xx for a broken agent.
 *
 * @param toolNames returns the names allowed in `enabled_tools`
 * @param onInvalid receives the names of the invalid fields
 */
export function validateRun(
  toolNames: () => readonly string[],
  onInvalid: (taskId: string, fields: readonly string[]) => void,
  scrub: Scrub,
) {
  return zValidator('json', runRequestFor(toolNames, AgentContext.shape), (result, c: Context) => {
    if (result.success) return
    const body: unknown = result.data
    if (!isObject(body)) throw new EdgeError('not_an_object', `got ${describeValue(body)}`)
    const { issues } = result.error
    const taskId = echoTaskId(body)
    onInvalid(
      taskId,
      // Deeper parts of a path may be the caller's own words, unless they are an array's index.
      issues.map(({ path: [top, member, index] }) =>
        [top, member, typeof index === 'number' ? index : undefined]
          .filter(part => part !== undefined)
          .join('.'),
      ),
    )
    const reply = errorResponse(taskId, describeIssues(issues, body))
    if (wantsStream(c))
      return streamRun(c, c.get('arrivedAt'), taskId, scrub, async () => ({
        response: Promise.resolve(reply),
      }))
    return c.json(reply)
  })
}
