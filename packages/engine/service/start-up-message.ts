import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inspect, stripVTControlCharacters } from 'node:util'
import { createMask, maskKeyShapes } from '@agent-task-service/wire/masking'
import type { Config } from '../config/config.ts'
import { SetupError } from '../failures/setup-error.ts'

/** Lines shown above and below the one that failed. */
const AROUND = 2
const MAX_LINE = 500

/**
 * What to print when the process cannot start. For development (`LOG_ERRORS=full`), any error comes with its stack and the
 * lines of the source around it.
 *
 * @param config absent if it could not be read
 */
export function startUpMessage(error: unknown, config?: Pick<Config, 'logErrors' | 'secrets'>): string {
  const { code = 'internal error', message = '' } = (error ?? {}) as NodeJS.ErrnoException
  if (error instanceof SetupError) return maskKeyShapes(message)
  // Any other message may quote a setting.
  if (config?.logErrors !== 'full')
    return `cannot start: ${code} ("npm run dev" or LOG_ERRORS=full shows the message and the stack)`
  const text = stripVTControlCharacters(inspect(error))
  return createMask(config.secrets).external(['cannot start:', text, ...codeFrame(text)].join('\n'))
}

/** The source around the innermost stack frame of the project, with a caret under the place. */
function codeFrame(stack: string): string[] {
  const places = stack.split(/(?=file:\/\/)/).map(piece => /^(file:\/\/\S+):(\d+):(\d+)/.exec(piece))
  const place = places.find(found => found && !found[1]!.includes('/node_modules/'))
  if (!place) return []
  const [, url, line, column] = place
  const path = fileURLToPath(url!)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  const at = Number(line)
  const first = Math.max(1, at - AROUND)
  const shown = lines
    .slice(first - 1, at + AROUND)
    .map((text, index) => `${String(first + index).padStart(5)} | ${text}`)
  // A bundle has all of its code in one.
  if (shown.some(({ length }) => length > MAX_LINE)) return []
  shown.splice(at - first + 1, 0, `${' '.repeat(Number(column) + 7)}^`)
  return ['', `${path}:${at}`, ...shown]
}
