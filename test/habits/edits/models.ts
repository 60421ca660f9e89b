import type { Edit, Task } from '../edit.ts'
import { afterRespond, beforePlan } from '../wiring.ts'

const WAYS = [
  'with config',
  'without config',
  'own callbacks',
  'more callbacks',
  'own signal',
  'tags',
  'retry',
  'fallback',
  'sequence',
  'stream',
  'batch',
]

/** A node after the answer that calls the model itself, in each way that LangChain's pages show. */
export const modelInANode: Edit = {
  files: {
    'graph/nodes/review.ts': `
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import type { AgentParts } from '../parts.ts'
import type { AgentNode, NodeConfig } from '../state.ts'

type Model = AgentParts['model']
type Ask = (model: Model, text: string, config: NodeConfig) => Promise<{ readonly text: string }>

const own = { handleLLMEnd() {} }
const { signal } = new AbortController()

const ways: Record<string, Ask> = {
  'with config': (model, text, config) => model.invoke(text, config),
  'without config': (model, text) => model.invoke([new HumanMessage(text)]),
  'own callbacks': (model, text) => model.invoke(text, { callbacks: [own] }),
  'more callbacks': (model, text, config) => model.invoke(text, { ...config, callbacks: [own] }),
  'own signal': (model, text) => model.invoke(text, { signal }),
  tags: (model, text) => model.withConfig({ tags: ['review'] }).invoke(text),
  retry: (model, text) => model.withRetry({ stopAfterAttempt: 3 }).invoke(text),
  fallback: (model, text) => model.withFallbacks([model]).invoke(text),
  sequence: (model, text) => ChatPromptTemplate.fromMessages([['user', '{text}']]).pipe(model).invoke({ text }),
  batch: async (model, text) => (await model.batch([text]))[0]!,
  async stream(model, text, config) {
    let answer = ''
    for await (const chunk of await model.stream(text, config)) answer += chunk.text
    return { text: answer }
  },
}

export const review = ({ model }: AgentParts): AgentNode => {
  return async ({ messages }, config) => {
    const way = messages[0]?.text.split(': ')[0] ?? ''
    const { text } = await ways[way]!(model, \`Review \${messages.at(-1)?.text}\`, config)
    return { messages: [new AIMessage(\`Reviewed: \${text}\`)] }
  }
}
`,
  },
  changes: afterRespond('review', 'review(parts)'),
  tasks: WAYS.flatMap((way): Task[] => [
    {
      input: `${way}: Hello`,
      config: { max_tokens: 50 },
      output: `Reviewed: You said: Review You said: ${way}: Hello`,
      modelCalls: 2,
    },
    {
      input: `${way}: This costs 1985`,
      error: "the agent's cap of 2000 tokens read and generated was used up before there was an answer",
      modelCalls: 1,
      stop: 'max_total_tokens',
    },
  ]),
}

/** Calls again and again, whatever it gets: only the budget ends it. */
export const insistentNode: Edit = {
  files: {
    'graph/nodes/insist.ts': `
import type { AgentParts } from '../parts.ts'
import type { AgentNode } from '../state.ts'

export const insist = ({ model }: AgentParts): AgentNode => {
  return async ({ messages }) => {
    for (;;) {
      try {
        const { text } = await model.invoke(messages)
        if (text === 'enough') return {}
      } catch {
        // Asks once more.
      }
    }
  }
}
`,
  },
  changes: beforePlan('insist', 'insist(parts)'),
  tasks: [
    {
      input: 'Hello',
      error: 'the limit of 8 steps was used up before there was an answer',
      modelCalls: 8,
      stop: 'max_steps',
    },
    {
      input: 'Hello',
      config: { max_tokens: 12 },
      error: 'the cap of 12 generated tokens (max_tokens) was used up before there was an answer',
      modelCalls: 3,
      stop: 'max_tokens',
    },
  ],
}

/** A model that a node creates, as in LangChain's tutorials, called with the run's config and without. */
export const modelOfOnesOwn: Edit = {
  guide: 'Use another model in one node',
  changes: {
    ...afterRespond('second-opinion', 'secondOpinion'),
    'graph/nodes/second-opinion.ts': [
      [
        'model.invoke([task], config)',
        "(task.text.startsWith('Plainly') ? model.invoke(messages.at(-1)!.text) : model.invoke([task], config))",
      ],
    ],
  },
  tasks: [
    { input: 'Hello', output: 'You said: Hello\n\nAnother model says: You said: Hello', modelCalls: 2 },
    {
      input: 'Plainly',
      output: 'You said: Plainly\n\nAnother model says: You said: You said: Plainly',
      modelCalls: 2,
    },
    {
      input: 'Hello',
      config: { max_tokens: 5 },
      error: 'the cap of 5 generated tokens (max_tokens) was used up before there was an answer',
      modelCalls: 1,
      stop: 'max_tokens',
    },
  ],
}

/** Calls of a model of one's own in parallel: under a cap they run one at a time. */
export const ownModelInParallel: Edit = {
  changes: {
    'graph/graph.ts': [
      "import { ChatOpenAI } from '@langchain/openai'\nimport { Send } from '@langchain/langgraph'",
      [
        "    .addNode('plan'",
        `    .addNode('work', async ({ messages }, config) => {
      const model = new ChatOpenAI({ model: 'own', maxRetries: 0 })
      return { messages: [await model.invoke(messages, config)] }
    })
    .addNode('plan'`,
      ],
      [
        "    .addEdge(START, 'plan')",
        `    .addConditionalEdges(START, state => ['a', 'b', 'c', 'd', 'e'].map(() => new Send('work', state)), ['work'])
    .addEdge('work', END)`,
      ],
    ],
  },
  tasks: [
    { input: 'Hello', output: 'You said: Hello', modelCalls: 5 },
    {
      input: 'Hello',
      config: { max_tokens: 15 },
      error: 'the cap of 15 generated tokens (max_tokens) was used up before there was an answer',
      modelCalls: 3,
      stop: 'max_tokens',
    },
  ],
}

export const modelCall: Edit = {
  guide: 'Call the model in a node',
  changes: afterRespond('translate', 'translate(parts)'),
  tasks: [
    { input: 'Hallo', output: 'You said: Translate into English: You said: Hallo', modelCalls: 2 },
    { input: 'Hallo', config: { max_tokens: 6 }, output: 'You said: Hallo', modelCalls: 1, stop: 'answer' },
  ],
}

/** An object in place of text: over HTTP the answer, in Studio a key of the state beside the messages. */
export const structuredOutput: Edit = {
  guide: 'Answer with structured output',
  tasks: [
    {
      input: 'Use ticket with {"team":"sales","urgent":true}',
      output: '{"team":"sales","urgent":true}',
      modelCalls: 1,
      studio: { output: /^Use ticket/ },
    },
  ],
}

/** Older results left out of what the model reads. */
export const shorterConversation: Edit = {
  guide: 'Change what the model reads',
  tasks: [
    {
      input: [0, 1, 2, 3].map(n => `Use calculator with {"expression":"${n}+1"}`).join('; '),
      output: '[left out]\n1 + 1 = 2\n2 + 1 = 3\n3 + 1 = 4',
      modelCalls: 2,
      toolCalls: 4,
    },
  ],
}

/** Another chat model class. */
export const otherChatClass: Edit = {
  guide: "Use another provider's chat class",
  tasks: [
    { input: 'Hello', output: 'You said: Hello', modelCalls: 1 },
    {
      input: 'Use calculator with {"expression":"2+3"}',
      output: '2 + 3 = 5',
      modelCalls: 2,
      toolCalls: 1,
      streamed: '2 + 3 = 5',
    },
    { input: 'Hello', config: { max_tokens: 50 }, output: 'You said: Hello', modelCalls: 1 },
    { input: 'Hello', config: { max_tokens: 2 }, output: 'You said', modelCalls: 1, stop: 'max_tokens' },
  ],
}
