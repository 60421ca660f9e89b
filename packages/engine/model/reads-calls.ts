import type { OpenAICompatibleModel } from '@agent-task-service/openai-compatible'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'

/** Vendors who serve their own models only, by LangChain's name and by host. */
const PROVIDERS = [
  'anthropic',
  'google_genai',
  'google_vertexai',
  'amazon_bedrock',
  'mistral',
  'xai',
  'cohere',
]
const HOSTS =
  /(?:^|\.)(?:openai\.com|openai\.azure\.com|anthropic\.com|googleapis\.com|amazonaws\.com|mistral\.ai|x\.ai|cohere\.(?:com|ai))$/

/** Whether a model is of this project's own class, which is loaded only by those who use it. */
export function isOpenAICompatible(model: object): model is OpenAICompatibleModel {
  return typeof (model as Partial<OpenAICompatibleModel>).endpoint === 'string'
}

/** Whether a model is asked through the API of a vendor whose server reads its calls: then it writes none into its text. */
export function readsCalls(model: BaseChatModel): boolean {
  if (isOpenAICompatible(model)) return HOSTS.test(new URL(model.endpoint).hostname)
  const { ls_provider: provider = '' } = model.getLsParams({} as never)
  return PROVIDERS.includes(provider)
}
