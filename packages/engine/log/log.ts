import type { Mask } from '@agent-task-service/wire/masking'
import pino from 'pino'
import { runFailureIn } from '../failures/run-failure.ts'
import { refusals, ToolError, ToolFault, ToolRefusal } from '../failures/tool-error.ts'
import type { RunEvent } from '../run/events.ts'

export type Log = pino.Logger

/** Where log lines go: standard output, or a sink in a test. */
export interface LineSink {
  write(line: string): void
  /** Resolves when every line is written, or the reader is gone; absent if `write` never defers a line. */
  flushed?(): Promise<void>
}

interface LogSettings {
  /** The least severe level to write. */
  readonly logLevel: pino.LevelWithSilent
  /** How much to log of an error. */
  readonly logErrors: 'brief' | 'full'
}

/** Longest backlog kept for a slow reader of standard output, in characters. */
const MAX_WAITING_LENGTH = 8 * 2 ** 20

/**
 * Standard output. Nothing waits for the reader of a pipe: if it is slow or stuck, up to 8 MB are kept and further lines
 * are dropped; if it is gone, all are. Files and terminals are written synchronously. Await `flushed` before exiting.
 */
export function standardOutput(): LineSink {
  const { stdout } = process
  stdout.off('error', ignore).on('error', ignore)
  return {
    write(line) {
      if (stdout.writableLength + line.length <= MAX_WAITING_LENGTH) stdout.write(line)
    },
    async flushed() {
      // This callback runs after those of earlier lines, even if the reader is gone.
      if (stdout.writableLength > 0) await new Promise<unknown>(resolve => stdout.write('', resolve))
    },
  }
}

/** Without a listener, a reader that is gone would end the process. */
function ignore(): void {}

/**
 * Writes one JSON object per line, with known secrets and anything that looks like a key masked.
 */
export function createLog(
  { logLevel: level, logErrors }: LogSettings,
  mask: Mask,
  sink: LineSink = standardOutput(),
): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: label => ({ level: label }) },
    serializers: { err: errorSerializer(logErrors) },
  }
  return pino(options, { write: line => sink.write(mask.external(line)) })
}

/** A readable format if standard output is a terminal and pino-pretty is installed; else `undefined`, for JSON. */
export async function prettySink(isReadByPeople = process.stdout.isTTY): Promise<LineSink | undefined> {
  if (!isReadByPeople) return undefined
  const pretty = await import('pino-pretty').catch(() => undefined)
  return pretty?.default({ sync: true, ignore: 'pid,hostname' })
}

/** Logs a tool call that was refused for its side effects, or that failed in a way its author did not foresee. */
export function logToolTrouble(log: Log, event: RunEvent, fields: object = {}): void {
  if (event.type !== 'tool_finished' || event.error === undefined) return
  const { error, data } = event
  const { tool } = data
  if (error instanceof ToolRefusal)
    log.warn({ ...fields, tool, setting: error.setting }, `tool refused: ${refusals[error.setting]}`)
  else if (error instanceof ToolFault) log.warn({ ...fields, tool, err: error.cause ?? error }, 'tool failed')
  // The tool foresaw it, or the run is over.
  else if (!(error instanceof ToolError || runFailureIn(error)))
    log.warn({ ...fields, tool, err: error }, 'tool failed')
}

/**
 * Logs what an operator can act on. No message, since an external one may quote the task, a header or a key; `full`, for
 * development, adds message and stack.
 */
function errorSerializer(detail: LogSettings['logErrors']) {
  return function serialize(error: unknown, depth = 0): object {
    const isFull = detail === 'full'
    if (!(error instanceof Error)) return { name: typeof error, ...(isFull && { message: String(error) }) }
    const { name, message, stack, cause, code, status, param, headers, errors } = error as Error &
      Record<string, unknown>
    return {
      name: typeof name === 'string' ? name : 'Error',
      ...(typeof code === 'string' && /^\w{1,60}$/.test(code) && { code }),
      ...(typeof status === 'number' && { status }),
      ...(typeof param === 'string' && /^[\w.[\]]{1,60}$/.test(param) && { param }),
      ...(headers instanceof Headers && requestIdIn(headers)),
      ...(isFull ? { message, stack } : depth === 0 && { frames: framesOf(error) }),
      ...(cause instanceof Error && depth < 3 && { cause: serialize(cause, depth + 1) }),
      ...(Array.isArray(errors) &&
        isFull &&
        depth < 3 && { errors: errors.map(each => serialize(each, depth + 1)) }),
    }
  }
}

/** The request id, which a provider's support asks for. */
function requestIdIn(headers: Headers): { request_id?: string } {
  const names = ['x-request-id', 'request-id', 'apim-request-id', 'x-amzn-requestid', 'cf-ray']
  const id = names
    .map(name => headers.get(name))
    .find(value => value !== null && /^[\w.:-]{1,100}$/.test(value))
  return id ? { request_id: id } : {}
}

/** The innermost stack frames, without the message above them. */
function framesOf({ stack, message }: { stack?: unknown; message?: unknown }): string[] {
  if (typeof stack !== 'string' || typeof message !== 'string') return []
  const start = stack.indexOf(message) + message.length
  const frames = stack
    .slice(start)
    .split('\n')
    .map(line => line.trim())
  return frames.filter(line => line.startsWith('at ')).slice(0, 5)
}
