import type { Edit, Task } from '../edit.ts'

/** A tool of a file of its own, and its line in the registry. */
function withTool(code: string, tasks: readonly Task[], changes: Edit['changes'] = {}): Edit {
  return {
    files: { 'tools/weather.ts': code },
    changes: { 'tools/registry.ts': ["export { weather } from './weather.ts'"], ...changes },
    tasks,
  }
}

const sunny: Task[] = [
  { input: 'Use weather with {"city":"Oslo"}', output: 'It is sunny in Oslo.', modelCalls: 2, toolCalls: 1 },
  {
    input: 'Use weather with {"city":"Oslo"}',
    config: { enabled_tools: ['time'] },
    output: 'You said: Use weather with {"city":"Oslo"}',
    modelCalls: 1,
  },
]

const unfit: Task = {
  input: 'Use weather with {"city":7}',
  output: /^Error: the arguments \{"city":7\} do not fit/,
  modelCalls: 2,
  toolCalls: 1,
}

export const langChainTool = withTool(
  `
import { tool } from '@langchain/core/tools'
import { z } from 'zod'

export const weather = tool(async ({ city }) => \`It is sunny in \${city}.\`, {
  name: 'weather',
  description: 'Says what the weather is.',
  schema: z.object({ city: z.string() }),
})
`,
  [...sunny, unfit],
)

export const zod3Tool = withTool(
  `
import { tool } from '@langchain/core/tools'
import { z } from 'zod/v3'

export const weather = tool(async ({ city }) => \`It is sunny in \${city}.\`, {
  name: 'weather',
  description: 'Says what the weather is.',
  schema: z.object({ city: z.string() }),
})
`,
  [...sunny, unfit],
)

export const jsonSchemaTool = withTool(
  `
import { tool } from '@langchain/core/tools'

export const weather = tool(async input => \`It is sunny in \${(input as { city: string }).city}.\`, {
  name: 'weather',
  description: 'Says what the weather is.',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
})
`,
  [...sunny, unfit],
)

export const toolClass = withTool(
  `
import { StructuredTool } from '@langchain/core/tools'
import { z } from 'zod'

class Weather extends StructuredTool {
  readonly name = 'weather'
  readonly description = 'Says what the weather is.'
  readonly schema = z.object({ city: z.string() })
  readonly #sky = 'sunny'

  protected async _call({ city }: { city: string }): Promise<string> {
    return \`It is \${this.#sky} in \${city}.\`
  }
}

export const weather = new Weather()
`,
  [...sunny, unfit],
)

/** The calculator of LangChain's community in place of ours: it reads one text. */
export const communityTool: Edit = {
  changes: {
    'tools/registry.ts': [
      "import { Calculator } from '@langchain/community/tools/calculator'",
      ["export { calculator } from './calculator.ts'", 'export const calculator = new Calculator()'],
    ],
  },
  tasks: [{ input: 'Use calculator with {"input":"2+3"}', output: '5', modelCalls: 2, toolCalls: 1 }],
}

export const toolThatThrows = withTool(
  `
import { tool } from '@langchain/core/tools'
import { z } from 'zod'

export const weather = tool(() => { throw new Error('FX says 401') }, {
  name: 'weather',
  description: 'Says what the weather is.',
  schema: z.object({}),
})
`,
  [{ input: 'Use weather with {}', output: 'Error: the tool weather failed.', modelCalls: 2, toolCalls: 1 }],
)

export const toolWithArtifact = withTool(
  `
import { tool } from '@langchain/core/tools'
import { z } from 'zod'

export const weather = tool(async ({ city }) => [\`It is sunny in \${city}.\`, { degrees: 21 }], {
  name: 'weather',
  description: 'Says what the weather is.',
  schema: z.object({ city: z.string() }),
  responseFormat: 'content_and_artifact',
})
`,
  sunny,
)

/** A tool that changes the state, and says so. */
export const toolWithCommand: Edit = {
  files: {
    'tools/weather.ts': `
import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { Command } from '@langchain/langgraph'
import { z } from 'zod'

export const weather = tool(
  async ({ city }, { toolCallId }) => {
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

/** LangGraph's own node for tools in place of ours. */
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
    {
      input: 'Use calculator with {"expression":"2+"}',
      output: /^Error: .*expression/s,
      modelCalls: 2,
      toolCalls: 1,
    },
  ],
}
