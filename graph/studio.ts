import type { BaseMessage } from '@langchain/core/messages'
import { MessagesZodMeta } from '@langchain/langgraph/web'
import { registry } from '@langchain/langgraph/zod'
import { z } from 'zod'
import { describeLimit } from './budget.ts'
import { RunFailure } from './failure.ts'
import { type AgentGraph, createGraph } from './graph.ts'
import { Meter, type ToolFault } from './meter.ts'
import { superstepLimit } from './run.ts'
import type { Account, AgentParts } from './scope.ts'
import { runSettings } from './state.ts'

const stateForm = z.object({
  // Whatever LangChain takes for messages: its reducer checks them. A custom type would have no JSON Schema.
  messages: (z.any() as z.ZodType<BaseMessage[], BaseMessage[]>).register(registry, MessagesZodMeta),
})

/**
 * The graph for one run in LangGraph Studio, under the rules of a run over HTTP: its own meter, its own budget, its own
 * deadline, which count from now.
 *
 * @param onFault told of each tool call that failed as the tool's author did not foresee
 */
export function createStudioGraph(parts: AgentParts, onFault: (fault: ToolFault) => void): AgentGraph {
  const { limits } = parts
  const startedAt = performance.now()
  const end = new AbortController()
  const overtime = () => new RunFailure('deadline', `${describeLimit('deadline', limits)} was reached`)
  setTimeout(() => end.abort(overtime()), limits.timeoutMs).unref()
  const meter = new ReportingMeter(onFault)
  const account: Account = {
    meter,
    handlers: [meter],
    elapsedMs: () => performance.now() - startedAt,
    modelsGivenUp: 0,
    stop: 'answer',
    signalFor: node => (node ? AbortSignal.any([node, end.signal]) : end.signal),
  }
  return createGraph(parts, { state: stateForm, settings: settingsForm(parts) }).withConfig({
    configurable: { __account: account },
    recursionLimit: superstepLimit(limits.maxSteps),
  }) as AgentGraph
}

/** The settings as Studio shows them: the prompt in use to be edited, the tools there are to be picked from. */
function settingsForm({ systemPrompt, tools }: AgentParts): typeof runSettings {
  const { system_prompt, enabled_tools } = runSettings.shape
  // Studio lets the prompt be edited at the nodes named here.
  const prompt = { default: systemPrompt, langgraph_nodes: ['plan', 'respond'], langgraph_type: 'prompt' }
  const name = z.enum(tools.names) as unknown as z.ZodString
  return runSettings.extend({
    system_prompt: system_prompt.meta(prompt),
    enabled_tools: z
      .array(name)
      .optional()
      .describe(enabled_tools.description ?? ''),
  })
}

/** Over HTTP the faults are logged when the run is over; here nothing tells when that is. */
class ReportingMeter extends Meter {
  readonly #report: (fault: ToolFault) => void

  constructor(report: (fault: ToolFault) => void) {
    super()
    this.#report = report
  }

  override handleToolError(error: unknown, callId: string): void {
    const known = this.toolFaults.length
    super.handleToolError(error, callId)
    for (const fault of this.toolFaults.slice(known)) this.#report(fault)
  }
}
