import type { Edit } from '../edit.ts'

export const stateKey: Edit = {
  guide: 'A state key',
  tasks: [
    { input: 'Say it in 3 words please', output: 'You said: Say', modelCalls: 1 },
    { input: 'Say it', output: 'You said: Say it', modelCalls: 1 },
  ],
}

export const keyOfSeveralNodes: Edit = {
  guide: 'A key that several nodes write',
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

export type AgentGraph = ReturnType<typeof createGraph>
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
