import type { Edit, Task } from '../edit.ts'
import { afterRespond } from '../wiring.ts'

const asAgent: Task[] = [
  { input: 'Hello', output: 'You said: Hello', modelCalls: 1 },
  { input: 'Use calculator with {"expression":"2+3"}', output: '2 + 3 = 5', modelCalls: 2, toolCalls: 1 },
  {
    input: 'Keep using calculator with {"expression":"2+3"}',
    error: 'the limit of 8 steps was used up before there was an answer',
    modelCalls: 4,
    toolCalls: 4,
    stop: 'max_steps',
  },
  {
    input: 'Use calculator with {"expression":"2+3"}',
    config: { max_tokens: 5 },
    error: 'the cap of 5 generated tokens (max_tokens) was used up before there was an answer',
    modelCalls: 1,
    toolCalls: 1,
    stop: 'max_tokens',
  },
]

/** Its answer in the form that the graph's author wants, with tools beside it. */
const answering = (format: string, ending: Pick<Task, 'studio' | 'modelCalls' | 'asked'>): Edit => ({
  changes: {
    'graph/graph.ts': [
      "import { createAgent, providerStrategy, toolStrategy } from 'langchain'\nimport { z } from 'zod'",
      [
        "    .addNode('plan', plan(parts))\n",
        `    .addNode('agent', createAgent({
      model: parts.model,
      tools: [...parts.tools],
      responseFormat: ${format},
    }).graph)
`,
      ],
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
  tasks: [{ input: 'Use route with {"to":"sales"}', output: '{"to":"sales"}', modelCalls: 1, ...ending }],
})

const ROUTE = "z.object({ to: z.string() }).meta({ title: 'route' })"
export const toolStrategy = answering(`toolStrategy(${ROUTE})`, {
  studio: { output: /^Returning structured response/ },
})
export const providerStrategy = answering(`providerStrategy(${ROUTE})`, { asked: '"type":"json_schema"' })

/** In a node that calls it, with its own limit. */
export const prebuiltAgent: Edit = { guide: 'Use a prebuilt agent', tasks: asAgent }

const asGraph: Task[] = [
  ...asAgent,
  {
    input: 'Use calculator with {"expression":"2+3"}',
    config: { system_prompt: 'Be brief.', enabled_tools: ['time'] },
    output: 'You said: Use calculator with {"expression":"2+3"}',
    modelCalls: 1,
    asked: '"content":"Be brief."',
  },
]

/** As the whole graph. */
export const langChainAgent: Edit = { guide: "Serve LangChain's agent", tasks: asGraph }
export const reactAgent: Edit = {
  guide: 'Serve createReactAgent, a supervisor or a swarm',
  tasks: asGraph,
}

/** In a node, with an answer in the form that the graph's author wants. */
export const prebuiltAgentWithForm: Edit = {
  guide: 'Use a prebuilt agent',
  changes: {
    'graph/nodes/researcher.ts': [
      "import { toolStrategy } from 'langchain'\nimport { z } from 'zod'",
      ['      model,\n', `      model,\n      responseFormat: toolStrategy(${ROUTE}),\n`],
      [
        'return { messages: result.messages.slice(messages.length) }',
        'return { messages: result.messages.slice(messages.length), structuredResponse: result.structuredResponse }',
      ],
    ],
  },
  tasks: [
    {
      input: 'Use route with {"to":"sales"}',
      output: '{"to":"sales"}',
      modelCalls: 1,
      studio: { output: /^Returning structured response/ },
    },
  ],
}

/** In the place of plan and tool-call: a node with the team that the packages of LangGraph's authors make. */
const team = (packages: string, graph: string): Edit['changes'] => ({
  'graph/graph.ts': [
    `import { createReactAgent } from '@langchain/langgraph/prebuilt'\n${packages}`,
    ["import { plan } from './nodes/plan.ts'\n", ''],
    ["import { toolCall } from './nodes/tool-call.ts'\n", ''],
    ["    .addNode('plan', plan(parts))\n", `    .addNode('team', ${graph}.compile({ name: 'team' }))\n`],
    ["    .addNode('tool-call', toolCall(parts))\n", ''],
    [
      `    .addEdge(START, 'plan')
    .addConditionalEdges('plan', afterPlan, ['tool-call', 'respond'])
    .addEdge('tool-call', 'plan')
`,
      "    .addEdge(START, 'team')\n    .addEdge('team', 'respond')\n",
    ],
  ],
})

/** An agent that hands tasks to others, and answers with what they say. */
export const supervisor: Edit = {
  changes: team(
    "import { createSupervisor } from '@langchain/langgraph-supervisor'",
    `createSupervisor({
      agents: [createReactAgent({ llm: parts.model, tools: [...parts.tools], name: 'reckoner' })],
      llm: parts.model,
    })`,
  ),
  tasks: [
    { input: 'Hello', output: 'You said: Hello', modelCalls: 1 },
    {
      input: 'Use transfer_to_reckoner with {}',
      output: 'Successfully transferred to reckoner\nSuccessfully transferred back to supervisor',
      modelCalls: 3,
      toolCalls: 1,
    },
  ],
}

/** Agents that hand the task to each other. */
export const swarm: Edit = {
  changes: team(
    "import { createHandoffTool, createSwarm } from '@langchain/langgraph-swarm'",
    `createSwarm({
      agents: [
        createReactAgent({
          llm: parts.model,
          tools: [createHandoffTool({ agentName: 'reckoner' })],
          name: 'desk',
        }),
        createReactAgent({ llm: parts.model, tools: [...parts.tools], name: 'reckoner' }),
      ],
      defaultActiveAgent: 'desk',
    })`,
  ),
  tasks: [
    { input: 'Hello', output: 'You said: Hello', modelCalls: 1 },
    {
      input: 'Use transfer_to_reckoner with {}',
      output: 'Successfully transferred to reckoner',
      modelCalls: 2,
      toolCalls: 1,
    },
  ],
}

/** A graph within the graph, with its own state. */
export const subgraph: Edit = {
  guide: 'Use a subgraph',
  changes: afterRespond('review', 'review(parts)'),
  tasks: [
    {
      input: 'Hello',
      output: 'You said: Mend You said: Hello by You said: Find faults: You said: Hello',
      modelCalls: 3,
    },
  ],
}

/** One piece of work for each line, in parallel. */
export const fanOut: Edit = {
  guide: 'Run pieces in parallel',
  tasks: [
    { input: 'one\ntwo\nthree', output: 'You said: one\nYou said: two\nYou said: three', modelCalls: 3 },
    {
      input: [...'abcdefghijkl'].join('\n'),
      error: 'the limit of 8 steps was used up before there was an answer',
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
