import { inspect, stripVTControlCharacters } from 'node:util'
import { ToolDefinitionError } from '../graph/guarded-tools.ts'
import { ModelDefinitionError } from '../graph/model/model-with-fallbacks.ts'
import { GraphDefinitionError } from '../graph/not-over-http.ts'
import { type Config, ConfigError } from './config.ts'
import { createScrub, scrubKeyShapes } from './scrub.ts'

/** Errors whose message is meant for the operator. */
const OURS = [ConfigError, GraphDefinitionError, ModelDefinitionError, ToolDefinitionError]

/**
 * What to print when the process cannot start. For development (`LOG_ERRORS=full`), any error comes with its stack.
 *
 * @param config absent if it could not be read
 */
export function startUpError(error: unknown, config?: Pick<Config, 'logErrors' | 'secrets'>): string {
  const { code = 'internal error', message = '' } = (error ?? {}) as NodeJS.ErrnoException
  if (OURS.some(kind => error instanceof kind)) return scrubKeyShapes(message)
  // Any other message may quote a setting.
  if (config?.logErrors !== 'full')
    return `cannot start: ${code} ("npm run dev" or LOG_ERRORS=full shows the message and the stack)`
  const text = stripVTControlCharacters(inspect(error))
  return createScrub(config.secrets).external(`cannot start:\n${text}`)
}
