import { openAI, openAIError } from './hosted.ts'
import type { Provider } from './provider.ts'

const { context: _, ...shared } = openAI

const openAIResponses: Provider = {
  ...shared,
  name: 'OpenAI, Responses',
  source: 'openai/openai-openapi openapi.yaml; vercel/ai packages/openai/src/responses/__fixtures__',
  model: 'gpt-5.6',
  api: 'responses',
  cap: {
    largest: 32_768,
    refuse: cap =>
      openAIError(
        `Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 32768, but got ${cap} instead.`,
        { code: 'integer_above_max_value', param: 'max_output_tokens' },
      ),
  },
  streamError:
    'event: error\ndata: {"type":"error","sequence_number":9,"error":{"type":"server_error","code":"server_error","message":"The server had an error while processing your request.","param":null}}\n\n',
}

/** An error of the whole response instead of an event of its own. */
const azureResponses: Provider = {
  ...openAIResponses,
  name: 'Azure OpenAI, v1, Responses',
  model: 'thinker',
  base: '/openai/v1',
  streamError:
    'event: response.failed\ndata: {"type":"response.failed","response":{"id":"resp_1","object":"response","status":"failed","error":{"code":"server_error","message":"An error occurred."},"output":[],"usage":null}}\n\n',
}

export const responsesProviders: readonly Provider[] = [openAIResponses, azureResponses]
