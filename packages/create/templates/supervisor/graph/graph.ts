import type { GraphParts, RunContext } from '@agent-task-service/engine'
import { tool } from '@langchain/core/tools'
import { createAgent, dynamicSystemPromptMiddleware } from 'langchain'
import { z } from 'zod'
import { answerNearLimits } from './answer-near-limits.ts'

/** The supervisor's system prompt, used when neither the operator nor the request gives one. */
export const SYSTEM_PROMPT =
  'Ask the subagents for what the task needs, several at once if you can, and answer with what they say, briefly.'

/** The supervisor reads `does`; the subagent itself reads `systemPrompt`, and may call `tools`. */
export const SUBAGENTS = [
  {
    name: 'mathematician',
    does: 'Calculates: arithmetic, percentages, functions, units.',
    systemPrompt: 'You are a mathematician. Calculate with your tool, and answer with the result.',
    tools: ['calculator'],
  },
  {
    name: 'timekeeper',
    does: 'Knows the time: now, in any zone, weekdays, and what date is when.',
    systemPrompt: 'You keep the time. Look it up with your tool, and answer with the result.',
    tools: ['time'],
  },
]

/** A supervisor that calls its subagents as tools. It alone sees the task; each of them sees what it is asked. */
export function createGraph(parts: GraphParts) {
  return createAgent({
    name: 'supervisor',
    model: parts.model,
    tools: SUBAGENTS.map(subagent => askTool(subagent, parts)),
    middleware: [
      // In place of createAgent's systemPrompt, to which that of a request would be added.
      dynamicSystemPromptMiddleware<RunContext>(
        (_state, { context }) => context?.system_prompt ?? parts.systemPrompt,
      ),
      answerNearLimits(3),
    ],
  })
}

/** A subagent as a tool. */
function askTool({ name, does, systemPrompt, tools }: (typeof SUBAGENTS)[number], parts: GraphParts) {
  const subagent = createAgent({
    name,
    model: parts.model,
    tools: parts.tools.filter(tool => tools.includes(tool.name)),
    systemPrompt,
    // A step more than the supervisor, whose own answer comes after.
    middleware: [answerNearLimits(4)],
  })
  return tool(
    async ({ task }, config) => {
      // With the config it is part of the run: its steps and tokens count, and it ends with the run.
      const { messages } = await subagent.invoke({ messages: [{ role: 'user', content: task }] }, config)
      return messages.at(-1)?.text ?? ''
    },
    {
      name: `ask_${name}`,
      description: does,
      schema: z.object({ task: z.string().describe('The whole task, with all that it needs') }),
    },
  )
}
