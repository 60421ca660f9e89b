import type { RunContext } from '../run/context.ts'
import type { RunEvent, RunEventOf } from '../run/events.ts'
import type { Outcome } from '../run/task.ts'
import type { Log } from './log.ts'

/** Maximum number of names in a log line. */
const MAX_NAMES = 10

/**
 * Logs which settings of a run its graph ignores, once for each. Only the requests to the models show it: how a graph is built
 * does not say what it will ask.
 *
 * @returns what follows one run: whom to tell of its events, and of its end
 */
export function ignoredSettings(log: Log) {
  /** A model is known to read it, or the log has its line. */
  let isPromptSettled = false
  let areToolsLogged = false
  const unknownTools = new Set<string>()
  /** @param tools names of the agent's tools */
  return ({ system_prompt, enabled_tools }: RunContext, tools: readonly string[], task_id: string) => {
    const leftOut = tools.filter(name => enabled_tools?.includes(name) === false)
    let hasAsked = false

    /** A tool that `enabled_tools` does not name has run: it is in no registry and declares nothing. */
    function expectKnown({ data: { tool }, unguarded, error }: RunEventOf<'tool_finished'>): void {
      if (!unguarded || unguarded.isCommand || error || enabled_tools?.includes(tool) !== false) return
      if (unknownTools.has(tool)) return
      unknownTools.add(tool)
      log.warn(
        { task_id, tool },
        'enabled_tools does not hold for a tool: add it to tools/registry.ts, or declare readOnlyHint',
      )
    }

    function expectEnabled({ offered, chatClass }: RunEventOf<'model_started'>): void {
      if (leftOut.length === 0 || areToolsLogged) return
      const names = offered()
      const wrong = leftOut.filter(name => names.includes(name)).slice(0, MAX_NAMES)
      if (wrong.length === 0) return
      areToolsLogged = true
      log.warn(
        { task_id, class: chatClass, tools: wrong },
        'a model was offered tools that enabled_tools leaves out',
      )
    }

    return {
      record(event: RunEvent): void {
        if (event.type === 'tool_finished') expectKnown(event)
        if (event.type !== 'model_started') return
        hasAsked = true
        if (system_prompt !== undefined && !isPromptSettled)
          isPromptSettled = event.prompt().some(({ text }) => text.includes(system_prompt))
        expectEnabled(event)
      },
      finish({ status }: Outcome): void {
        if (system_prompt === undefined || !hasAsked || status !== 'success' || isPromptSettled) return
        isPromptSettled = true
        log.warn({ task_id }, 'system_prompt of a run reached no model')
      },
    }
  }
}
