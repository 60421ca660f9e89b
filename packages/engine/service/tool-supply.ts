import type { AgentDefinition } from '../agent/definition.ts'
import type { Config } from '../config/config.ts'
import { kindOf, SetupError } from '../failures/setup-error.ts'
import type { Log } from '../log/log.ts'
import { FIND_TOOLS, fitRequest, tokensOf, toolSearch } from '../search/tool-search.ts'
import { assertDistinctNames, guardTool } from '../tools/guarded-tools.ts'
import { needsSecrets, type ToolFromSettings, type ToolWithSecrets } from '../tools/tool.ts'

type Tool = ReturnType<typeof guardTool>

/**
 * Gathers the agent's own tools, and those that packages supply. Leaves out, with a log line, a tool whose secrets are not set.
 *
 * @param registry the agent's own tools, offered in the order of their names
 * @throws {SetupError} for a tool that cannot be offered
 */
export async function supplyTools(
  { settings, toolSecrets, moreTools, maxToolTokens }: Config,
  registry: AgentDefinition['tools'],
  log: Log,
) {
  // The order of a module's exports varies between the sources and the bundle.
  const own = Object.entries(registry)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, tool]) =>
      typeof tool === 'function'
        ? fromSettings(name, tool, settings, log)
        : withItsSecrets(name, tool, toolSecrets, log),
    )
  assertDistinctNames(own)
  const tools = [...own]
  const supplied = moreTools.map((): readonly Tool[] => [])
  let [hasStarted, isTold] = [false, false]
  const tellOnce = () => {
    if (!hasStarted || isTold || fitRequest(supplied.flat(), maxToolTokens)) return
    isTold = true
    logSearch(supplied.flat(), own, maxToolTokens, log)
  }
  const start = ({ extra, settings }: Config['moreTools'][number], nth: number) =>
    extra.start(settings, {
      log,
      taken: () => [own, ...supplied.toSpliced(nth, 1)].flat().map(({ name }) => name),
      onChange(now) {
        supplied[nth] = now.map(guardTool)
        tools.splice(own.length, tools.length, ...withSearch(supplied.flat(), own, maxToolTokens))
        tellOnce()
      },
    })
  const ends = await Promise.all(moreTools.map(start))
  hasStarted = true
  tellOnce()
  return {
    /** The tools available now. Always the same array, updated in place. */
    tools,
    /** The agent's own among them. */
    own,
    /** Ends what supplies tools. */
    close: async () => void (await Promise.all(ends.map(end => end()))),
  }
}

/** The supplied tools, with a search ahead of them if a request has no room for all. */
function withSearch(supplied: readonly Tool[], own: readonly Tool[], maxTokens: number): readonly Tool[] {
  const isWhole = fitRequest(supplied, maxTokens) || own.some(isFindTools)
  return isWhole ? supplied : [toolSearch(supplied, maxTokens), ...supplied]
}

function logSearch(supplied: readonly Tool[], own: readonly Tool[], maxTokens: number, log: Log): void {
  const fields = { tools: supplied.length, tokens: tokensOf(supplied), max_tokens: maxTokens }
  if (!own.some(isFindTools)) log.info(fields, `tools are found by ${FIND_TOOLS}`)
  else log.warn(fields, `tools are sent with each request: the agent has a ${FIND_TOOLS} of its own`)
}

const isFindTools = ({ name }: Tool) => name === FIND_TOOLS

/** @param name in the registry */
function fromSettings(
  name: string,
  make: ToolFromSettings<Config['settings']>,
  settings: Config['settings'],
  log: Log,
): Tool[] {
  if (typeof make.prototype?.invoke === 'function') throw noTool(name, 'its class')
  const tool = make(settings)
  if (tool === undefined) {
    log.warn({ tool: name }, 'tool not offered: its settings do not ask for it')
    return []
  }
  return [guardTool(expectTool(name, tool))]
}

/** A tool that cannot be offered is refused even if its secrets are not set. */
function withItsSecrets(
  name: string,
  declared: Tool | ToolWithSecrets,
  values: Config['toolSecrets'],
  log: Log,
): Tool[] {
  if (!needsSecrets(declared)) return [guardTool(expectTool(name, declared))]
  const { secrets } = declared
  const made = declared.create(Object.fromEntries(secrets.map(secret => [secret, values[secret] ?? ''])))
  const tool = guardTool(expectTool(name, made))
  const missing = secrets.filter(secret => values[secret] === undefined)
  if (missing.length === 0) return [tool]
  log.warn({ tool: tool.name, missing }, 'tool not offered: its secrets are not set')
  return []
}

/** @throws {SetupError} for anything else */
function expectTool(name: string, made: unknown): Tool {
  if (typeof (made as Partial<Tool> | null | undefined)?.invoke !== 'function')
    throw noTool(name, kindOf(made))
  return made as Tool
}

function noTool(name: string, kind: string): SetupError {
  return new SetupError(`the tool "${name}" of the registry: expected a LangChain tool, got ${kind}`)
}
