import type { Edit, Task } from '../edit.ts'

const KINDS = ['plain', 'zod_3', 'json_schema', 'class', 'artifact']

/** Tools as in LangChain's pages. */
export const langChainTools: Edit = {
  files: {
    'tools/weather.ts': `
import { StructuredTool, tool } from '@langchain/core/tools'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'

const description = 'Says what the weather is.'
const schema = z.object({ city: z.string() })
const sky = ({ city }: { city: string }) => \`It is sunny in \${city}.\`

export const plain = tool(sky, { name: 'plain', description, schema })

export const zod3 = tool(sky, { name: 'zod_3', description, schema: z3.object({ city: z3.string() }) })

export const jsonSchema = tool(input => sky(input as { city: string }), {
  name: 'json_schema',
  description,
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
})

class Weather extends StructuredTool {
  readonly name = 'class'
  readonly description = description
  readonly schema = schema
  readonly #sky = sky

  protected async _call(input: z.infer<typeof schema>): Promise<string> {
    return this.#sky(input)
  }
}

export const ofAClass = new Weather()

export const artifact = tool(async input => [sky(input), { degrees: 21 }], {
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
`,
  },
  changes: { 'tools/registry.ts': ["export * from './weather.ts'"] },
  tasks: [
    ...KINDS.flatMap((name): Task[] => [
      {
        input: `Use ${name} with {"city":"Oslo"}`,
        output: 'It is sunny in Oslo.',
        modelCalls: 2,
        toolCalls: 1,
      },
      {
        input: `Use ${name} with {"city":7}`,
        output: /^Error: the arguments \{"city":7\} do not fit/,
        modelCalls: 2,
        toolCalls: 1,
      },
    ]),
    {
      input: 'Use plain with {"city":"Oslo"}',
      config: { enabled_tools: ['time'] },
      output: 'You said: Use plain with {"city":"Oslo"}',
      modelCalls: 1,
    },
    {
      input: 'Use broken with {"city":"Oslo"}',
      output: 'Error: the tool broken failed.',
      modelCalls: 2,
      toolCalls: 1,
    },
  ],
}

/** LangChain community's calculator instead of ours: it reads one text. */
export const communityTool: Edit = {
  changes: {
    'tools/registry.ts': [
      "import { Calculator } from '@langchain/community/tools/calculator'",
      ["export { calculator } from './calculator.ts'", 'export const calculator = new Calculator()'],
    ],
  },
  tasks: [{ input: 'Use calculator with {"input":"2+3"}', output: '5', modelCalls: 2, toolCalls: 1 }],
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
  changes: {
    'graph/graph.ts': [
      "import { ToolNode } from '@langchain/langgraph/prebuilt'",
      ["import { toolCall } from './nodes/tool-call.ts'\n", ''],
      ["addNode('tool-call', toolCall(parts))", "addNode('tool-call', new ToolNode([...parts.tools]))"],
    ],
  },
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
