import type { Edit } from '../edit.ts'

/** A model in the list that does not pass its cap on. */
export const forgottenCap: Edit = {
  changes: {
    'graph/models.ts': [
      "import { ChatAnthropic } from '@langchain/anthropic'",
      [
        '  const { OpenAIModel,',
        `  if (settings.models[0]?.model.startsWith('first'))
    return [{ name: 'claude', create: () => new ChatAnthropic({ model: 'claude-sonnet-4-5' }) }]
  const { OpenAIModel,`,
      ],
    ],
  },
  tasks: [],
}

const change = (from: string, to: string): Edit => ({
  changes: { 'graph/graph.ts': [[from, to]] },
  tasks: [],
})

/** Graphs that cannot be built, and what a developer reads: the message, the place, the line. */
export const broken = {
  misspeltNode: change("addEdge('tool-call', 'plan')", "addEdge('tool-call', 'plann')"),
  unknownName: change('  return new StateGraph({', '  undeclared()\n  return new StateGraph({'),
}

/** A setting of one's own that is no JSON once it is read. */
export const settingBeyondJson: Edit = {
  changes: {
    'graph/state.ts': [
      [
        'export const AgentContext = z.object({\n',
        'export const AgentContext = z.object({\n  since: z.string().transform(text => new Date(text)).optional(),\n',
      ],
    ],
  },
  tasks: [],
}

/** Stops that only a thread can continue. */
export const staticInterrupt = change(
  "compile({ name: 'agent' })",
  "compile({ interruptBefore: ['respond'] })",
)

/** Threads of one's own, which Studio's server keeps by itself. */
export const ownCheckpointer: Edit = {
  changes: {
    'graph/graph.ts': [
      "import { MemorySaver } from '@langchain/langgraph'",
      ["compile({ name: 'agent' })", "compile({ name: 'agent', checkpointer: new MemorySaver() })"],
    ],
  },
  tasks: [],
}
