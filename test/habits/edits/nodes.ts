import type { Edit } from '../edit.ts'
import { afterRespond, beforePlan } from '../wiring.ts'

export const plainNode: Edit = {
  guide: 'Add a node',
  tasks: [{ input: 'Write to ann@example.org', output: 'You said: Write to [e-mail]', modelCalls: 1 }],
}

/** A node before all others, which itself answers what the model must not read. */
export const guardAfterStart: Edit = {
  guide: 'Branch on a condition',
  tasks: [
    { input: 'My password is 4711.', output: 'I take no passwords.' },
    { input: 'Hello', output: 'You said: Hello', modelCalls: 1 },
    { input: 'Use calculator with {"expression":"2+3"}', output: '2 + 3 = 5', modelCalls: 2, toolCalls: 1 },
    {
      input: 'Keep using calculator with {"expression":"2+3"}',
      output: '2 + 3 = 5\n2 + 3 = 5\n2 + 3 = 5',
      modelCalls: 4,
      toolCalls: 3,
      stop: 'max_steps',
    },
  ],
}

/** plan as LangGraph's pages show it. */
export const ownLoop: Edit = {
  guide: 'Write a loop of your own',
  tasks: [
    { input: 'Hello', output: 'You said: Hello', modelCalls: 1 },
    { input: 'Use calculator with {"expression":"2+3"}', output: '2 + 3 = 5', modelCalls: 2, toolCalls: 1 },
    {
      input: 'Keep using calculator with {"expression":"2+3"}',
      output: '2 + 3 = 5\n2 + 3 = 5\n2 + 3 = 5',
      modelCalls: 4,
      toolCalls: 3,
      stop: 'max_steps',
    },
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
  guide: 'Stream progress of your own',
  changes: beforePlan('announce', 'announce'),
  tasks: [
    {
      input: 'Hello',
      output: 'You said: Hello',
      modelCalls: 1,
      custom: [{ phase: 'reading', characters: 5 }],
    },
  ],
}

/** There is nobody to ask behind POST /run. */
export const interruption: Edit = {
  guide: 'Ask a person',
  changes: afterRespond('approve', 'approve'),
  tasks: [
    {
      input: 'Hello',
      error: 'the node "approve" called interrupt(), which needs a thread; POST /run has none',
      stop: 'not_over_http',
      modelCalls: 1,
      studio: { output: 'You said: Hello' },
    },
  ],
}

/** LangGraph's long-term memory needs no thread. */
export const ownStore: Edit = {
  changes: {
    'graph/graph.ts': [
      "import { InMemoryStore } from '@langchain/langgraph'",
      ["compile({ name: 'agent' })", "compile({ name: 'agent', store: new InMemoryStore() })"],
    ],
    'graph/nodes/respond.ts': [
      [
        '  return async ({ messages, wrapUp }, config) => {',
        `  return async ({ messages, wrapUp }, config) => {
    await config.store?.put(['visits'], 'last', { text: 'kept' })
    if (!(await config.store?.get(['visits'], 'last'))) throw new Error('no store')`,
      ],
    ],
  },
  tasks: [{ input: 'Hello', output: 'You said: Hello', modelCalls: 1 }],
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

/** A client with a secret, from a variable of one's own. */
export const clientInParts: Edit = {
  guide: 'Give nodes a client of your own',
  changes: afterRespond('sign', 'sign(parts)'),
  tasks: [{ input: 'Hello', output: /^You said: Hello\n[0-9a-f]{64}$/, modelCalls: 1 }],
}

export const retriever: Edit = {
  files: {
    'graph/nodes/retrieve.ts': `import { BM25Retriever } from '@langchain/community/retrievers/bm25'
import { Document } from '@langchain/core/documents'
import { HumanMessage } from '@langchain/core/messages'
import type { AgentNode } from '../state.ts'

const pages = ['Returns: goods can be returned within 30 days.', 'Delivery: parcels arrive within two days.']
const documents = pages.map(pageContent => new Document({ pageContent }))
const retriever = BM25Retriever.fromDocuments(documents, { k: 1, includeScore: false })

/** Puts what our pages say under the task. */
export const retrieve: AgentNode = async ({ messages }, config) => {
  const task = messages.at(-1)
  if (!task) return {}
  const found = await retriever.invoke(task.text, config)
  const passages = found.map(({ pageContent }) => pageContent).join('\\n')
  // With the same id, it replaces the original message.
  const content = \`\${task.text}\\n\\nFrom our pages:\\n\${passages}\`
  return { messages: [new HumanMessage({ id: task.id, content })] }
}
`,
  },
  changes: beforePlan('retrieve', 'retrieve'),
  tasks: [
    {
      input: 'Can goods be returned?',
      output:
        'You said: Can goods be returned?\n\nFrom our pages:\nReturns: goods can be returned within 30 days.',
      modelCalls: 1,
    },
  ],
}

/** A node that names the next one. */
export const handoff: Edit = {
  guide: 'Hand a task over',
  tasks: [
    {
      input: 'Where is my invoice?',
      output: 'You said: Where is my invoice?',
      modelCalls: 1,
      asked: 'You answer questions about invoices.',
    },
    { input: 'Hello', output: 'You said: Hello', modelCalls: 1 },
  ],
}
