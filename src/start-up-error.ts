import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inspect, stripVTControlCharacters } from 'node:util'
import { ToolDefinitionError } from '../graph/guarded-tools.ts'
import { ModelDefinitionError } from '../graph/model/model-with-fallbacks.ts'
import { GraphDefinitionError } from '../graph/not-over-http.ts'
import { type Config, ConfigError } from './config.ts'
import { createScrub, scrubKeyShapes } from './scrub.ts'

/** Errors whose message is meant for the operator. */
const OURS = [ConfigError, GraphDefinitionError, ModelDefinitionError, ToolDefinitionError]
/** Lines shown above and below the one that failed. */
const AROUND = 2

/**
 * What to print when the process cannot start. For development (`LOG_ERRORS=full`), any error comes with its stack and the
 * lines of the source around it.
 *
 * @param config absent if it could not be read
 */
export function startUpError(error: unknown, config?: Pick<Config, 'logErrors' | 'secrets'>): string {
  const { code = 'internal error', message = '' } = (error ?? {}) as NodeJS.ErrnoException
  if (OURS.some(kind => error instanceof kind)) return scrubKeyShapes(message)
  // Any other message may quote a setting.
  if (config?.logErrors !== 'full') return `cannot start: ${code}`
  const text = stripVTControlCharacters(inspect(error))
  const scrub = createScrub(config.secrets)
  return scrubKeyShapes(scrub(['cannot start:', text, ...codeFrame(text)].join('\n')))
}

/** The source around the innermost stack frame of the project, with a caret under the place. */
function codeFrame(stack: string): string[] {
  const places = [...stack.matchAll(/(file:\/\/[^\s)]+?):(\d+):(\d+)/g)]
  const [, url = '', line, column] = places.find(([place]) => !place.includes('/node_modules/')) ?? []
  const path = url && fileURLToPath(url)
  if (!existsSync(path)) return []
  const at = Number(line)
  const first = Math.max(1, at - AROUND)
  const shown = readFileSync(path, 'utf8')
    .split('\n')
    .slice(first - 1, at + AROUND)
    .map((text, index) => `${String(first + index).padStart(5)} | ${text}`)
  shown.splice(at - first + 1, 0, `${' '.repeat(Number(column) + 7)}^`)
  return ['', `${path}:${at}`, ...shown]
}
