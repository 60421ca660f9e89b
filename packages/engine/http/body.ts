import { isUtf8 } from 'node:buffer'
import { MIMEType } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import {
  describeIssues,
  describeValue,
  echoTaskId,
  errorResponse,
  runRequestFor,
} from '@agent-task-service/wire/contract'
import { isObject, membersOf, parseJson } from '@agent-task-service/wire/untrusted'
import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import type { GraphRunner } from '../graph/invoke-graph.ts'
import type { Log } from '../log/log.ts'
import { EdgeError, full } from '../replies/errors.ts'
import { type ContextSchema, RunContext } from '../run/context.ts'
import { taskIdForLog } from '../tasks/run-task.ts'
import { BodyRoom } from './body-room.ts'
import { BodyScan, SMALL_BODY, tooLarge } from './body-scan.ts'
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

const decoder = new TextDecoder()

/**
 * Reads the body. Refuses one that is over `maxSize` bytes, that holds more than any task does, that is not UTF-8 and would
 * reach the model garbled, or that finds no room in memory beside those of the requests in progress.
 *
 * @param schema of the settings that its config may have
 */
export function readBody(maxSize: number, { shape }: ContextSchema): MiddlewareHandler<EdgeEnv> {
  const ownSettings = Object.keys(shape).filter(name => !(name in RunContext.shape))
  // A run takes up to five times its body: the task, the request to the model, and what is not yet collected.
  const room = new BodyRoom(Math.max(getHeapStatistics().heap_size_limit / 6, maxSize))
  return async (c, next) => {
    const isChunked = c.req.header('transfer-encoding') !== undefined
    const declared = isChunked ? undefined : Number(c.req.header('content-length') ?? Number.NaN)
    if (declared !== undefined && declared > maxSize) throw tooLarge(maxSize)
    if (declared !== undefined && !Number.isNaN(declared) && !room.hasRoomFor(declared)) throw full()
    const scan = new BodyScan(maxSize)
    let held = 0
    try {
      // Neither the bytes nor the text, which would stay in memory as long as the run.
      await readInto(room, c.req.raw, declared, scan)
        .catch(refuseReading)
        .then(bytes => {
          held = scan.cost
          keepText(c, bytes, ownSettings)
        })
      await next()
    } finally {
      // A streamed run goes on after its response has begun.
      void Promise.allSettled([c.get('reply')]).then(() => room.release(held))
    }
  }
}

/** Keeps the body's text for Hono until it is parsed. */
function keepText(c: Context<EdgeEnv>, bytes: ArrayBuffer | Buffer, ownSettings: readonly string[]): void {
  if (!isUtf8(bytes)) throw new EdgeError('not_utf8')
  const text = decoder.decode(bytes)
  expectSimpleSettings(text, ownSettings)
  // Hono keeps promises, which its types do not say.
  c.req.bodyCache.text = Promise.resolve(text) as never
}

async function readInto(room: BodyRoom, request: Request, declared: number | undefined, scan: BodyScan) {
  // Not streamed, which costs more: Node never reads past the declared length.
  if (declared !== undefined && declared <= SMALL_BODY) {
    const bytes = await request.arrayBuffer()
    scan.add(new Uint8Array(bytes))
    room.hold(scan.cost)
    return bytes
  }
  return request.body ? await room.read(request.body, scan) : new ArrayBuffer(0)
}

/** Far more than a setting needs. What checks and compares it calls itself for each level, and keeps an issue for each value. */
const [MAX_LEVELS, MAX_VALUES] = [100, 50_000]

/**
 * @param text the body
 * @param names of the settings that the graph declares
 * @throws {EdgeError} `too_complex` for one that nests too deep or has too many values
 */
function expectSimpleSettings(text: string, names: readonly string[]): void {
  // A shorter text has no room for either.
  if (names.length === 0 || text.length < 2 * MAX_LEVELS) return
  // However deep it nests, since the refusal names the setting.
  const config = membersOf(membersOf(parseJson(text, Number.POSITIVE_INFINITY)).config)
  for (const name of names) {
    if (isSimple(config[name])) continue
    const most = `at most ${MAX_LEVELS} levels and ${MAX_VALUES} values`
    throw new EdgeError('too_complex', `config.${name}: expected ${most}, got more`)
  }
}

function isSimple(value: unknown): boolean {
  let values = 0
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    values += level.length
    const nesting = level.filter(each => typeof each === 'object' && each !== null)
    if (values > MAX_VALUES || (depth >= MAX_LEVELS && nesting.length > 0)) return false
    level = nesting.flatMap(each => Object.values(each as object))
  }
  return true
}

/** Reading a body fails only when the connection ends early. */
function refuseReading(error: unknown): never {
  throw error instanceof EdgeError ? error : new EdgeError('hang_up')
}

/**
 * Validates the run request. Replies 400 to anything but a JSON object. An invalid request gets 200 in the error shape,
 * since the orchestrator would take a 4xx for a broken agent.
 *
 * @param runner of which its config may have the settings, and `enabled_tools` the tools
 * @param renamedTools present names by former ones, which are allowed too
 */
export function validateRun(
  runner: Pick<GraphRunner, 'context' | 'toolNames'>,
  renamedTools: ReadonlyMap<string, string> | undefined,
  log: Log,
) {
  const schema = runRequestFor(() => runner.toolNames, runner.context.shape, renamedTools)
  return zValidator('json', schema, (result, c: Context) => {
    if (result.success) return
    const body: unknown = result.data
    if (!isObject(body)) throw new EdgeError('not_an_object', `got ${describeValue(body)}`)
    const { issues } = result.error
    const taskId = echoTaskId(body)
    const task = { task_id: taskIdForLog(taskId), ...c.get('caller') }
    // Deeper parts of a path may be the caller's own words, unless they are an array's index.
    const fields = issues.map(({ path: [top, member, index] }) =>
      [top, member, typeof index === 'number' ? index : undefined]
        .filter(part => part !== undefined)
        .join('.'),
    )
    log.info({ ...task, status: 'error', stop: 'invalid_request', fields }, 'run')
    const reply = errorResponse(taskId, describeIssues(issues, body))
    if (!wantsStream(c)) return c.json(reply)
    const refusal = async () => ({ response: Promise.resolve(reply) })
    return streamRun(c, c.get('arrivedAt'), taskId, refusal)
  })
}
