import type { Edit } from '../edit.ts'

export const stateKey: Edit = {
  guide: 'Change the state',
  tasks: [
    { input: 'Say it in 3 words please', output: 'You said: Say', modelCalls: 1 },
    { input: 'Say it', output: 'You said: Say it', modelCalls: 1 },
  ],
}

/** Two nodes write it in parallel. */
export const keyOfSeveralNodes: Edit = {
  files: {
    'graph/nodes/notes.ts': `
import { AIMessage } from '@langchain/core/messages'
import type { AgentNode } from '../state.ts'

export const noteLength: AgentNode = ({ messages }) => ({
  notes: [\`\${messages.at(-1)?.text.length} characters were asked.\`],
})

export const noteQuestion: AgentNode = ({ messages }) => ({
  notes: messages.at(-1)?.text.endsWith('?') ? ['It was a question.'] : [],
})

export const showNotes: AgentNode = ({ messages, notes }) => {
  const answer = messages.at(-1)
  if (!answer) return {}
  return { messages: [new AIMessage({ id: answer.id, content: [answer.text, ...notes].join('\\n') })] }
}
`,
  },
  changes: {
    'graph/state.ts': [
      "import { ReducedValue } from '@langchain/langgraph'",
      [
        '  messages: MessagesValue,\n  /**',
        `  messages: MessagesValue,
  notes: new ReducedValue(z.array(z.string()).default([]), {
    inputSchema: z.array(z.string()),
    reducer: (known, added) => [...known, ...added],
  }),
  /**`,
      ],
    ],
    'graph/graph.ts': [
      "import { noteLength, noteQuestion, showNotes } from './nodes/notes.ts'",
      [
        "    .addNode('plan'",
        `    .addNode('note-length', noteLength)
    .addNode('note-question', noteQuestion)
    .addNode('show-notes', showNotes)
    .addNode('plan'`,
      ],
      [
        "    .addEdge(START, 'plan')",
        `    .addEdge(START, 'note-length')
    .addEdge(START, 'note-question')
    .addEdge(['note-length', 'note-question'], 'plan')`,
      ],
      [
        "    .addEdge('respond', END)",
        "    .addEdge('respond', 'show-notes')\n    .addEdge('show-notes', END)",
      ],
    ],
  },
  tasks: [
    {
      input: 'Why?',
      output: 'You said: Why?\n4 characters were asked.\nIt was a question.',
      modelCalls: 1,
    },
  ],
}

/** A graph as on LangGraph's pages: one node, a state in the form given, a count in a node's closure. */
const graphOf = (imports: string, state: string, builder: string): Edit => ({
  files: {
    'graph/graph.ts': `
import { AIMessage } from '@langchain/core/messages'
import { END, START, ${imports} } from '@langchain/langgraph'
import type { AgentParts } from './parts.ts'
${state}
export function createGraph({ model }: AgentParts) {
  let runs = 0
  return ${builder}
    .addNode('agent', async ({ messages }) => {
      runs += 1
      const { text } = await model.invoke(messages)
      return { messages: [new AIMessage(\`\${text} (\${runs > 1 ? 'warm' : 'cold'})\`)] }
    })
    .addEdge(START, 'agent')
    .addEdge('agent', END)
    .compile()
}
`,
  },
  tasks: [
    { input: 'Hello', output: 'You said: Hello (cold)', modelCalls: 1 },
    { input: 'Hello', output: 'You said: Hello (warm)', modelCalls: 1 },
  ],
})

export const ownStateSchema = graphOf(
  'MessagesValue, ReducedValue, StateGraph, StateSchema',
  `import { z } from 'zod'

const Own = new StateSchema({
  messages: MessagesValue,
  seen: new ReducedValue(z.number().default(0), { reducer: (sum, one) => sum + one }),
})
`,
  'new StateGraph(Own)',
)

export const messagesAnnotation = graphOf(
  'MessagesAnnotation, StateGraph',
  '',
  'new StateGraph(MessagesAnnotation)',
)

export const annotationWithInput = graphOf(
  'Annotation, MessagesAnnotation, StateGraph',
  `
const Own = Annotation.Root({ ...MessagesAnnotation.spec, topic: Annotation<string> })
`,
  'new StateGraph({ stateSchema: Own, input: MessagesAnnotation, output: MessagesAnnotation })',
)

export const zodState = graphOf('MessagesZodState, StateGraph', '', 'new StateGraph(MessagesZodState)')
