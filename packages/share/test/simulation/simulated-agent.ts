import type { AgentDefinition, AgentGraph } from '@agent-task-service/engine'
import { defineAgent, RunContext, runOf } from '@agent-task-service/engine'
import { redis } from '@agent-task-service/share'
import { createGraph } from '@agent-task-service/test-support/agent/graph'
import type { BaseMessage } from '@langchain/core/messages'
import type { RunnableConfig } from '@langchain/core/runnables'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import type { Records, ToolName } from './run-records.ts'
import type { TaskPlan } from './schedule.ts'
import { SimulatedModel } from './simulated-model.ts'
import { abortable, never, sleep } from './waits.ts'

/** The parts of the world in which a replica's agent works. */
export interface AgentWorld {
  readonly tasks: readonly TaskPlan[]
  readonly records: Records
  /** Whether the replica is dead: nothing it does counts any more. */
  isDead(replica: number): boolean
}

interface Conversation {
  readonly messages: readonly BaseMessage[]
}

/** What tools say of themselves. Only calls of `look` are recorded as steps. */
const HINTS: Record<ToolName, object> = {
  act: { readOnlyHint: false },
  look: { readOnlyHint: true },
  peek: { readOnlyHint: true, idempotentHint: true, instantHint: true },
}

/** The body of a task, which the model reads. */
export function inputOf(task: number, isOther: boolean): string {
  return `${isOther ? 'other ' : ''}task ${task}`
}

/** An agent with the engine's nodes, whose model and tools do what the schedule says. */
export function simulatedAgent(world: AgentWorld, replica: number): AgentDefinition {
  const { records } = world
  const works = async (ms: number, signal?: AbortSignal) => {
    await (signal ? abortable(ms, signal) : sleep(ms))
    if (world.isDead(replica)) await never()
  }
  const useTool = (name: ToolName) =>
    tool(
      async ({ ms, fails, hangs }, config) => {
        const record = records.recordOf(config)
        if (world.isDead(replica)) await never()
        const call = records.toolCall(record, name, String(config.toolCall?.id))
        record.to = performance.now()
        if (hangs) await never()
        await works(ms, config.signal)
        record.to = performance.now()
        if (fails) throw new Error('the tool broke')
        call.endedAt = record.to
        return `result ${call.nth}`
      },
      {
        name,
        description: name,
        schema: z.object({ ms: z.number(), fails: z.boolean(), hangs: z.boolean() }),
        metadata: { ...HINTS[name], timeLimitMs: 4_000 },
      },
    )
  return defineAgent({
    share: redis(),
    graph: parts => observed(createGraph(parts), records, replica),
    context: RunContext,
    systemPrompt: 'You are simulated.',
    models: async () => [
      {
        name: 'simulated',
        create: ({ maxTokens }) => new SimulatedModel({ world, works }, maxTokens),
        patienceMs: 3_000,
      },
    ],
    tools: { act: useTool('act'), look: useTool('look'), peek: useTool('peek') },
    variables: z.object({}),
  })
}

/** The graph, with a record of each run: one that is answered from another one's steps asks no model. */
function observed(graph: ReturnType<typeof createGraph>, records: Records, replica: number): AgentGraph {
  const invoke = graph.invoke.bind(graph)
  const observe = async (input: Conversation, config: RunnableConfig) => {
    const run = runOf(config)
    const record = run && records.begin(run, replica, input.messages[0]!.text)
    const output = (await invoke(input as never, config as never)) as Conversation
    if (record) record.conversation = output.messages
    return output
  }
  return Object.assign(graph, { invoke: observe }) as never
}
