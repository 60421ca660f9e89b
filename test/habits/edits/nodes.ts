import type { Edit, Task } from '../edit.ts'

/** What the model reads when it repeats a request. */
const AGAIN = 'This was asked before in this task; the result was:\n2 + 3 = 5'

/** A node before all others, which itself answers what the model must not read. */
export const guardAfterStart: Edit = {
  files: {
    'graph/nodes/guard.ts': `
import { AIMessage } from '@langchain/core/messages'
import type { AgentNode } from '../state.ts'

export const guard: AgentNode = ({ messages }) => {
  if (!/password/i.test(messages.at(-1)?.text ?? '')) return {}
  return { messages: [new AIMessage('I take no passwords.')] }
}
`,
  },
  changes: {
    'graph/graph.ts': [
      "import { guard } from './nodes/guard.ts'",
      ["    .addNode('plan'", "    .addNode('guard', guard)\n    .addNode('plan'"],
      [
        "    .addEdge(START, 'plan')",
        `    .addEdge(START, 'guard')
    .addConditionalEdges('guard', ({ messages }) => (messages.at(-1)?.type === 'ai' ? END : 'plan'), ['plan', END])`,
      ],
    ],
  },
  tasks: [
    { input: 'My password is 4711.', output: 'I take no passwords.' },
    { input: 'Hello', output: 'You said: Hello', modelCalls: 1 },
    { input: 'Use calculator with {"expression":"2+3"}', output: '2 + 3 = 5', modelCalls: 2, toolCalls: 1 },
    {
      input: 'Keep using calculator with {"expression":"2+3"}',
      output: `2 + 3 = 5\n${AGAIN}\n${AGAIN}`,
      modelCalls: 4,
      toolCalls: 3,
      stop: 'max_steps',
    },
    {
      input: 'Use calculator with {"expression":"2+3"}',
      config: { enabled_tools: [] },
      output: 'You said: Use calculator with {"expression":"2+3"}',
      modelCalls: 1,
    },
  ],
}

/** A key of the state that one node writes and another reads. */
export const stateKey: Edit = {
  files: {
    'graph/nodes/letter.ts': `
import { AIMessage } from '@langchain/core/messages'
import type { AgentNode } from '../state.ts'

export const greet: AgentNode = ({ messages }) => ({ tone: messages.at(-1)?.text.includes('!') ? 'loudly' : 'softly' })

export const sign: AgentNode = ({ messages, tone }) => ({
  messages: [new AIMessage(\`\${messages.at(-1)?.text}, spoken \${tone}\`)],
})
`,
  },
  changes: {
    'graph/state.ts': [
      [
        '  messages: MessagesValue,\n  /**',
        '  messages: MessagesValue,\n  tone: z.string().optional(),\n  /**',
      ],
    ],
    'graph/graph.ts': [
      "import { greet, sign } from './nodes/letter.ts'",
      [
        "    .addNode('plan'",
        "    .addNode('greet', greet)\n    .addNode('sign', sign)\n    .addNode('plan'",
      ],
      ["    .addEdge(START, 'plan')", "    .addEdge(START, 'greet')\n    .addEdge('greet', 'plan')"],
      ["    .addEdge('respond', END)", "    .addEdge('respond', 'sign')\n    .addEdge('sign', END)"],
    ],
  },
  tasks: [
    { input: 'Hello', output: 'You said: Hello, spoken softly', modelCalls: 1 },
    { input: 'Hello!', output: 'You said: Hello!, spoken loudly', modelCalls: 1 },
  ],
}

/** A failing node: over HTTP the error's words are for the log's reader. */
export const nodeThatThrows: Edit = {
  changes: {
    'graph/graph.ts': [
      [
        "    .addNode('plan'",
        "    .addNode('rates', () => {\n      throw new Error('FX says 401')\n    })\n    .addNode('plan'",
      ],
      ["    .addEdge(START, 'plan')", "    .addEdge(START, 'rates')\n    .addEdge('rates', 'plan')"],
    ],
  },
  tasks: [{ input: 'Hello', error: 'the agent failed', stop: 'internal', studio: { error: 'FX says 401' } }],
}

/** A node that LangGraph retries: each try counts. */
export const retriedNode: Edit = {
  files: {
    'graph/nodes/flaky.ts': `
import type { AgentParts } from '../parts.ts'
import type { AgentNode } from '../state.ts'

let tries = 0

export const flaky = ({ model }: AgentParts): AgentNode => {
  return async ({ messages }, config) => {
    tries += 1
    const reply = await model.invoke(messages, config)
    if (tries % 3 !== 0) throw new Error('not yet')
    return { messages: [reply] }
  }
}
`,
  },
  changes: {
    'graph/graph.ts': [
      "import { flaky } from './nodes/flaky.ts'",
      [
        "    .addNode('plan'",
        "    .addNode('flaky', flaky(parts), { retryPolicy: { maxAttempts: 3, initialInterval: 1, logWarning: false } })\n    .addNode('plan'",
      ],
      ["    .addEdge(START, 'plan')", "    .addEdge(START, 'flaky')\n    .addEdge('flaky', END)"],
    ],
  },
  tasks: [{ input: 'Hello', output: 'You said: Hello', modelCalls: 3 }],
}

/** A message from a node to watchers. */
export const customEvent: Edit = {
  changes: {
    'graph/graph.ts': [
      [
        "    .addNode('plan'",
        "    .addNode('announce', (_state, config) => {\n      config.writer?.({ phase: 'reading', share: 0.5 })\n      return {}\n    })\n    .addNode('plan'",
      ],
      ["    .addEdge(START, 'plan')", "    .addEdge(START, 'announce')\n    .addEdge('announce', 'plan')"],
    ],
  },
  tasks: [
    { input: 'Hello', output: 'You said: Hello', modelCalls: 1, custom: [{ phase: 'reading', share: 0.5 }] },
  ],
}

const needsThread: Task = {
  input: 'Hello',
  error: 'the graph needs a thread, for interrupt() or a checkpointer; POST /run has none',
  stop: 'not_over_http',
  modelCalls: 1,
  studio: { output: 'You said: Hello' },
}

/** A question to a person: there is none behind POST /run. */
export const interruption: Edit = {
  files: {
    'graph/nodes/approve.ts': `
import { AIMessage } from '@langchain/core/messages'
import { interrupt } from '@langchain/langgraph'
import type { AgentNode } from '../state.ts'

export const approve: AgentNode = ({ messages }) => {
  const verdict = interrupt<string, string>('Shall this be sent?')
  return { messages: [new AIMessage(\`\${messages.at(-1)?.text} (\${verdict})\`)] }
}
`,
  },
  changes: {
    'graph/graph.ts': [
      "import { approve } from './nodes/approve.ts'",
      ["    .addNode('plan'", "    .addNode('approve', approve)\n    .addNode('plan'"],
      ["    .addEdge('respond', END)", "    .addEdge('respond', 'approve')\n    .addEdge('approve', END)"],
    ],
  },
  tasks: [needsThread],
}

export const ownCheckpointer: Edit = {
  changes: {
    'graph/graph.ts': [
      "import { MemorySaver } from '@langchain/langgraph'",
      ["compile({ name: 'agent' })", "compile({ name: 'agent', checkpointer: new MemorySaver() })"],
    ],
  },
  tasks: [needsThread],
}

/** An endless loop that calls no model. */
export const endlessLoop: Edit = {
  changes: {
    'graph/graph.ts': [
      ["    .addNode('plan'", "    .addNode('spin', () => ({}))\n    .addNode('plan'"],
      [
        "    .addEdge(START, 'plan')",
        "    .addEdge(START, 'spin')\n    .addConditionalEdges('spin', () => 'spin', ['spin', 'plan'])",
      ],
    ],
  },
  tasks: [
    {
      input: 'Hello',
      error: 'more supersteps than its limit allows',
      stop: 'max_steps',
      studio: { error: 'Recursion limit of 180 reached' },
    },
  ],
}
