import type { Edit } from '../edit.ts'

/** A setting of one's own in the prompt. */
export const settingInThePrompt: Edit = {
  guide: 'Add a setting of your own',
  tasks: [
    {
      input: 'Hello',
      config: { system_prompt: 'Be brief.', audience: 'children' },
      output: 'You said: Hello',
      modelCalls: 1,
      asked: 'Be brief. Write for children.',
    },
  ],
}

/** A setting of one's own, which a node reads. */
export const ownSetting: Edit = {
  files: {
    'graph/nodes/tenant.ts': `
import { AIMessage } from '@langchain/core/messages'
import type { AgentNode } from '../state.ts'

export const tenant: AgentNode = (_state, { context }) => ({
  messages: [new AIMessage(\`For \${context?.tenant ?? 'nobody'}, in \${context?.language}.\`)],
})
`,
  },
  changes: {
    'graph/state.ts': [
      [
        'export const AgentContext = z.object({\n',
        `export const AgentContext = z.object({
  tenant: z.string().optional().describe('Whose data to use'),
  language: z.enum(['English', 'German']).default('English'),
`,
      ],
    ],
    'graph/graph.ts': [
      "import { tenant } from './nodes/tenant.ts'",
      ["    .addNode('plan'", "    .addNode('tenant', tenant)\n    .addNode('plan'"],
      ["    .addEdge(START, 'plan')", "    .addEdge(START, 'tenant')\n    .addEdge('tenant', END)"],
    ],
  },
  tasks: [
    { input: 'Hello', config: { tenant: 'acme', language: 'German' }, output: 'For acme, in German.' },
    { input: 'Hello', config: { tenant: 'acme' }, output: 'For acme, in English.' },
    { input: 'Hello', output: 'For nobody, in English.' },
    { input: 'Hello', config: { undeclared: 'x' }, output: 'For nobody, in English.' },
  ],
}
