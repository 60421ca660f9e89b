import type { Edit } from '../edit.ts'

/** A model in the list that does not pass its cap on. */
export const forgottenCap: Edit = {
  changes: {
    'graph/model/models.ts': [
      "import { ChatAnthropic } from '@langchain/anthropic'",
      [
        "  const { OpenAIModel } = await import('./openai-model.ts')",
        `  if (settings.models[0]?.model.startsWith('first'))
    return [{ name: 'claude', create: () => new ChatAnthropic({ model: 'claude-sonnet-4-5' }) }]
  const { OpenAIModel } = await import('./openai-model.ts')`,
      ],
    ],
  },
  tasks: [],
}
