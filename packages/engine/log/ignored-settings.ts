import type { RunContext } from '../run/context.ts'
import type { RunEvent, RunEventOf } from '../run/events.ts'
import type { Outcome } from '../run/task.ts'
import type { Log } from './log.ts'

/** Maximum number of names in a log line. */
const MAX_NAMES = 10

/**
 * Logs which settings of a run its graph ignores, once for each. Only the requests to the models show it: how a graph is built
 * does not say what it will ask.
 */
export class IgnoredSettings {
  readonly #log: Log
  /** A model is known to read it, or the log has its line. */
  #isPromptSettled = false
  #areToolsLogged = false
  readonly #unknownTools = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  /**
   * Follows one run.
   *
   * @param tools names of the agent's tools
   * @returns whom to tell of its events, and of its end
   */
  follow({ system_prompt, enabled_tools }: RunContext, tools: readonly string[], task_id: string) {
    const leftOut = tools.filter(name => enabled_tools?.includes(name) === false)
    let hasAsked = false
    const record = (event: RunEvent): void => {
      if (event.type === 'tool_finished') this.#expectKnown(event, enabled_tools, task_id)
      if (event.type !== 'model_started') return
      hasAsked = true
      if (system_prompt !== undefined && !this.#isPromptSettled)
        this.#isPromptSettled = event.prompt().some(({ text }) => text.includes(system_prompt))
      if (leftOut.length > 0 && !this.#areToolsLogged) this.#compare(leftOut, event, task_id)
    }
    const finish = ({ status }: Outcome): void => {
      if (system_prompt === undefined || !hasAsked || status !== 'success' || this.#isPromptSettled) return
      this.#isPromptSettled = true
      this.#log.warn({ task_id }, 'system_prompt of a run reached no model')
    }
    return { record, finish }
  }

  /** A tool that `enabled_tools` does not name has run: it is in no registry and declares nothing. */
  #expectKnown(
    { data: { tool }, unguarded, error }: RunEventOf<'tool_finished'>,
    enabled: RunContext['enabled_tools'],
    task_id: string,
  ): void {
    if (!unguarded || unguarded.isCommand || error || enabled?.includes(tool) !== false) return
    if (this.#unknownTools.has(tool)) return
    this.#unknownTools.add(tool)
    this.#log.warn(
      { task_id, tool },
      'enabled_tools does not hold for a tool: add it to tools/registry.ts, or declare readOnlyHint',
    )
  }

  #compare(
    leftOut: readonly string[],
    { offered, chatClass }: RunEventOf<'model_started'>,
    task_id: string,
  ): void {
    const names = offered()
    const wrong = leftOut.filter(name => names.includes(name)).slice(0, MAX_NAMES)
    if (wrong.length === 0) return
    this.#areToolsLogged = true
    this.#log.warn(
      { task_id, class: chatClass, tools: wrong },
      'a model was offered tools that enabled_tools leaves out',
    )
  }
}
