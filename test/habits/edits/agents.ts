import type { Edit, Task } from '../edit.ts'

const asAgent: Task[] = [
  { input: 'Hello', output: 'You said: Hello', modelCalls: 1 },
  { input: 'Use calculator with {"expression":"2+3"}', output: '2 + 3 = 5', modelCalls: 2, toolCalls: 1 },
  {
    input: 'Keep using calculator with {"expression":"2+3"}',
    error: 'the limit of 8 steps left no room for an answer',
    modelCalls: 4,
    toolCalls: 4,
    stop: 'max_steps',
  },
  {
    input: 'Use calculator with {"expression":"2+3"}',
    config: { max_tokens: 5 },
    error: 'the cap of 5 generated tokens (max_tokens) left no room for an answer',
    modelCalls: 1,
    toolCalls: 1,
    stop: 'max_tokens',
  },
]

/** The whole graph is one node: a prebuilt agent. */
function only(agent: string, ...imports: readonly string[]): Edit {
  return {
    changes: {
      'graph/graph.ts': [
        ...imports,
        ["    .addNode('plan', plan(parts))\n", `    .addNode('agent', ${agent})\n`],
        ["    .addNode('tool-call', toolCall(parts))\n    .addNode('respond', respond(parts))\n", ''],
        [
          `    .addEdge(START, 'plan')
    .addConditionalEdges('plan', afterPlan, ['tool-call', 'respond'])
    .addEdge('tool-call', 'plan')
    .addEdge('respond', END)`,
          "    .addEdge(START, 'agent')\n    .addEdge('agent', END)",
        ],
      ],
    },
    tasks: asAgent,
  }
}

const MADE = 'createAgent({ model: parts.model, tools: [...parts.tools] })'

export const langChainAgent = only(`${MADE}.graph`, "import { createAgent } from 'langchain'")

export const langChainAgentInANode = only(
  `async ({ messages }) => {
      const agent = ${MADE}
      return { messages: (await agent.invoke({ messages })).messages.slice(messages.length) }
    }`,
  "import { createAgent } from 'langchain'",
)

/** A graph within the graph, with its own state. */
export const subgraph: Edit = {
  files: {
    'graph/research.ts': `
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { END, START, StateGraph, StateSchema } from '@langchain/langgraph'
import { z } from 'zod'
import type { AgentParts } from './parts.ts'
import type { AgentNode } from './state.ts'

const Research = new StateSchema({ topic: z.string(), notes: z.string().optional() })

export const research = ({ model }: AgentParts): AgentNode => {
  const graph = new StateGraph(Research)
    .addNode('read', async ({ topic }) => ({ notes: (await model.invoke([new HumanMessage(topic)])).text }))
    .addNode('sum', async ({ notes = '' }) => ({ notes: notes.toUpperCase() }))
    .addEdge(START, 'read')
    .addEdge('read', 'sum')
    .addEdge('sum', END)
    .compile()
  return async ({ messages }) => {
    const { notes } = await graph.invoke({ topic: messages.at(-1)?.text ?? '' })
    return { messages: [new AIMessage(\`Notes: \${notes}\`)] }
  }
}
`,
  },
  changes: {
    'graph/graph.ts': [
      "import { research } from './research.ts'",
      ["    .addNode('plan'", "    .addNode('research', research(parts))\n    .addNode('plan'"],
      ["    .addEdge(START, 'plan')", "    .addEdge(START, 'research')\n    .addEdge('research', END)"],
    ],
  },
  tasks: [{ input: 'Hello', output: 'Notes: YOU SAID: HELLO', modelCalls: 1 }],
}

/** One piece of work for each word, in parallel. */
export const fanOut: Edit = {
  files: {
    'graph/nodes/words.ts': `
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { Send } from '@langchain/langgraph'
import type { AgentParts } from '../parts.ts'
import type { AgentNode, State } from '../state.ts'

export const forEachWord = ({ messages }: State) =>
  (messages.at(-1)?.text ?? '').split(' ').map(word => new Send('word', { messages: [new HumanMessage(word)] }))

export const word = ({ model }: AgentParts): AgentNode => {
  return async ({ messages }) => ({ messages: [await model.invoke(messages)] })
}

export const join: AgentNode = ({ messages }) => ({
  messages: [new AIMessage(messages.slice(1).map(({ text }) => text).join(', '))],
})
`,
  },
  changes: {
    'graph/graph.ts': [
      "import { forEachWord, join, word } from './nodes/words.ts'",
      [
        "    .addNode('plan'",
        "    .addNode('word', word(parts))\n    .addNode('join', join)\n    .addNode('plan'",
      ],
      [
        "    .addEdge(START, 'plan')",
        "    .addConditionalEdges(START, forEachWord, ['word'])\n    .addEdge('word', 'join')\n    .addEdge('join', END)",
      ],
    ],
  },
  tasks: [
    { input: 'one two three', output: 'You said: one, You said: two, You said: three', modelCalls: 3 },
    {
      input: 'a b c d e f g h i j k l',
      error: 'the limit of 8 steps left no room for an answer',
      stop: 'max_steps',
      modelCalls: 8,
    },
  ],
}

/** A tool that calls the model. */
export const expertAsATool: Edit = {
  files: {
    'graph/expert.ts': `
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import type { AgentParts } from './parts.ts'

export const expert = ({ model }: AgentParts) =>
  tool(async ({ question }) => (await model.invoke(question)).text, {
    name: 'expert',
    description: 'Asks an expert.',
    schema: z.object({ question: z.string() }),
  })

export const withExpert = (parts: AgentParts): AgentParts => ({ ...parts, tools: [...parts.tools, expert(parts)] })
`,
  },
  changes: {
    'graph/graph.ts': [
      "import { withExpert } from './expert.ts'",
      ["'plan', plan(parts)", "'plan', plan(withExpert(parts))"],
      ["'tool-call', toolCall(parts)", "'tool-call', toolCall(withExpert(parts))"],
    ],
  },
  tasks: [
    { input: 'Use expert with {"question":"Why?"}', output: 'You said: Why?', modelCalls: 3, toolCalls: 1 },
  ],
}
