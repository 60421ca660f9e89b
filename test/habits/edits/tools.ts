import { expect } from 'vitest'
import type { Edit, Task } from '../edit.ts'

const USES: readonly [input: string, output: string | RegExp][] = [
  ['Use upper with {"text":"abc"}', 'ABC'],
  ['Use upper with {"text":7}', /^Error: the arguments \{"text":7\} do not fit/],
  ['Use reverse with {"text":"abc"}', 'cba'],
  ['Use reverse with {"text":7}', /^Error: the arguments \{"text":7\} do not fit/],
  ['Use repeat with {"text":"abc","times":2}', 'abcabc'],
  ['Use repeat with {"text":7}', /^Error: the arguments \{"text":7\} do not fit/],
  ['Use artifact with {"city":"Oslo"}', 'It is sunny in Oslo.'],
  ['Use broken with {"city":"Oslo"}', 'Error: the tool broken failed.'],
]

/** Tools as in LangChain's pages: of JSON Schema, of Zod 3, of a class, with an artifact, and one that fails. */
export const langChainTools: Edit = {
  guide: 'Use any LangChain tool',
  files: {
    'tools/letters.ts': `
import { StructuredTool, tool } from '@langchain/core/tools'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'

/** Arguments in JSON Schema, so TypeScript does not know their type. */
export const upper = tool(args => (args as { text: string }).text.toUpperCase(), {
  name: 'upper',
  description: 'Writes a text in capitals.',
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
})

/** Arguments in Zod 3. */
export const reverse = tool(({ text }) => [...text].reverse().join(''), {
  name: 'reverse',
  description: 'Writes a text backwards.',
  schema: z3.object({ text: z3.string() }),
})

class Repeat extends StructuredTool {
  readonly name = 'repeat'
  readonly description = 'Writes a text several times.'
  readonly schema = z.object({ text: z.string(), times: z.int() })

  protected override async _call({ text, times }: z.infer<typeof this.schema>): Promise<string> {
    return text.repeat(times)
  }
}

export const repeat = new Repeat()
`,
    'tools/weather.ts': `
import { tool } from '@langchain/core/tools'
import { z } from 'zod'

const description = 'Says what the weather is.'
const schema = z.object({ city: z.string() })

export const artifact = tool(async ({ city }) => [\`It is sunny in \${city}.\`, { degrees: 21 }], {
  name: 'artifact',
  description,
  schema,
  responseFormat: 'content_and_artifact',
})

export const broken = tool(
  () => {
    throw new Error('FX says 401')
  },
  { name: 'broken', description, schema },
)

export const silent = tool(() => undefined, { name: 'silent', description, schema })
`,
  },
  changes: { 'tools/registry.ts': ["export * from './letters.ts'\nexport * from './weather.ts'"] },
  tasks: [
    ...USES.map(([input, output]): Task => ({ input, output, modelCalls: 2, toolCalls: 1 })),
    {
      input: 'Use silent with {"city":"Oslo"}; Use upper with {"text":7}',
      output: /Error: the arguments/,
      modelCalls: 2,
      toolCalls: 2,
      toolEvents: [
        { tool: 'silent', failed: false, result: '' },
        { tool: 'upper', failed: true, result: expect.stringContaining('do not fit') },
      ],
    },
    {
      input: 'Use upper with {"text":"abc"}',
      config: { enabled_tools: ['time'] },
      output: 'You said: Use upper with {"text":"abc"}',
      modelCalls: 1,
    },
  ],
}

/** A tool that changes the state, and declares it. */
export const toolWithCommand: Edit = {
  files: {
    'tools/weather.ts': `
import { ToolMessage } from '@langchain/core/messages'
import { type ToolRuntime, tool } from '@langchain/core/tools'
import { Command } from '@langchain/langgraph'
import { z } from 'zod'

export const weather = tool(
  async ({ city }, { toolCallId }: ToolRuntime) => {
    const said = new ToolMessage({ content: \`It is sunny in \${city}.\`, tool_call_id: toolCallId })
    return new Command({ update: { place: city, messages: [said] } })
  },
  { name: 'weather', description: 'Says what the weather is.', schema: z.object({ city: z.string() }) },
)
`,
    'graph/nodes/sign.ts': `
import { AIMessage } from '@langchain/core/messages'
import type { AgentNode } from '../state.ts'

export const sign: AgentNode = ({ messages, place }) => ({
  messages: [new AIMessage(\`\${messages.at(-1)?.text} Greetings from \${place}!\`)],
})
`,
  },
  changes: {
    'tools/registry.ts': ["export { weather } from './weather.ts'"],
    'graph/state.ts': [
      [
        '  messages: MessagesValue,\n  /**',
        '  messages: MessagesValue,\n  place: z.string().optional(),\n  /**',
      ],
    ],
    'graph/graph.ts': [
      "import { sign } from './nodes/sign.ts'",
      ["    .addNode('plan'", "    .addNode('sign', sign)\n    .addNode('plan'"],
      ["    .addEdge('respond', END)", "    .addEdge('respond', 'sign')\n    .addEdge('sign', END)"],
    ],
  },
  tasks: [
    {
      input: 'Use weather with {"city":"Oslo"}',
      output: 'It is sunny in Oslo. Greetings from Oslo!',
      modelCalls: 2,
      toolCalls: 1,
      toolEvents: [{ tool: 'weather', failed: false, result: 'It is sunny in Oslo.' }],
    },
    {
      input: 'Use weather with {"city":"Oslo"}; Use calculator with {"expression":"2+3"}',
      output: 'It is sunny in Oslo.\n2 + 3 = 5 Greetings from Oslo!',
      modelCalls: 2,
      toolCalls: 2,
    },
  ],
}

/** LangGraph's own tool node instead of ours. */
export const toolNode: Edit = {
  guide: 'Use ToolNode',
  tasks: [
    {
      input: 'Use calculator with {"expression":"2+3"}; Use calculator with {"expression":"4+5"}',
      output: '2 + 3 = 5\n4 + 5 = 9',
      modelCalls: 2,
      toolCalls: 2,
    },
    {
      input: 'Keep using calculator with {"expression":"2+3"}',
      output: '2 + 3 = 5\n2 + 3 = 5\n2 + 3 = 5',
      modelCalls: 4,
      toolCalls: 3,
      stop: 'max_steps',
    },
    // What ToolNode itself rejects does not count as a call.
    { input: 'Use calculator with {"expression":7}', output: /did not match expected schema/, modelCalls: 2 },
    {
      input: 'Use calculator with {"expression":"2+"}',
      output: /^Error: Syntax error/,
      modelCalls: 2,
      toolCalls: 1,
    },
  ],
}

/** A person decides whether a tool may act: in Studio only. */
export const approvalInATool: Edit = {
  files: {
    'tools/refund.ts': `import { tool } from '@langchain/core/tools'
import { interrupt } from '@langchain/langgraph'
import { z } from 'zod'

export const refund = tool(
  ({ order }) => {
    const verdict = interrupt<string, string>(\`Refund order \${order}?\`)
    return verdict === 'yes' ? \`Order \${order} is paid back.\` : 'A person declined the refund.'
  },
  {
    name: 'refund',
    description: 'Pays an order back.',
    schema: z.object({ order: z.int() }),
    metadata: { readOnlyHint: false },
  },
)
`,
  },
  changes: { 'tools/registry.ts': ["export { refund } from './refund.ts'"] },
  tasks: [
    {
      input: 'Use refund with {"order":7}',
      error: 'the tool "refund" called interrupt(), which needs a thread; POST /run has none',
      stop: 'not_over_http',
      modelCalls: 1,
      toolCalls: 1,
      studio: { output: '' },
    },
  ],
}
