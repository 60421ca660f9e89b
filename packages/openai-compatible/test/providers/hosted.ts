import type { Provider, Refusal } from './provider.ts'

type Details = {
  readonly status?: number
  readonly type?: string
  readonly code?: unknown
  readonly param?: string | null
}

/** OpenAI's error, which most others adopted. */
export function openAIError(message: string, details: Details = {}): Refusal {
  const { status = 400, type = 'invalid_request_error', code = null, param = null } = details
  return { status, body: { error: { message, type, param, code } } }
}

function event(data: unknown, name?: string): string {
  return `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`
}

const openAICap = (param: string): Provider['cap'] => ({
  largest: 32_768,
  refuse: cap =>
    openAIError(
      `max_tokens is too large: ${cap}. This model supports at most 32768 completion tokens, whereas you provided ${cap}.`,
      { param, code: 'invalid_value' },
    ),
})

export const openAI: Provider = {
  name: 'OpenAI',
  source: 'openai/openai-openapi openapi.yaml; openai/openai-python tests/lib/chat',
  model: 'gpt-4.1-mini',
  base: '/v1',
  cap: openAICap('max_tokens'),
  context: {
    largest: 4096,
    refuse: tokens =>
      openAIError(
        `This model's maximum context length is 4096 tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
        { param: 'messages', code: 'context_length_exceeded' },
      ),
  },
  wrongKey: openAIError(
    'Incorrect API key provided: wrong-key. You can find your API key at https://platform.openai.com/account/api-keys.',
    {
      status: 401,
      code: 'invalid_api_key',
    },
  ),
  wrongModel: openAIError('The model `nothing` does not exist or you do not have access to it.', {
    status: 404,
    code: 'model_not_found',
  }),
  spent: openAIError('You exceeded your current quota, please check your plan and billing details.', {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
  }),
  limited: openAIError(
    'Rate limit reached for gpt-4.1-mini on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 5ms.',
    {
      status: 429,
      type: 'requests',
      code: 'rate_limit_exceeded',
    },
  ),
  streamError: event({
    error: {
      message: 'The server had an error while processing your request. Sorry about that!',
      type: 'server_error',
      param: null,
      code: null,
    },
  }),
}

/** A reasoning model's deployment under a custom name: the name of the cap cannot be told from it. */
const azureClassic: Provider = {
  ...openAI,
  name: 'Azure OpenAI, classic',
  source:
    'openai/openai-python src/openai/lib/azure.py; Azure/azure-rest-api-specs cognitiveservices inference; vercel/ai packages/openai-compatible azure-text.chunks.txt',
  model: 'thinker',
  base: '/openai/deployments/thinker?api-version=2024-10-21',
  keyHeader: 'api-key',
  cap: openAICap('max_completion_tokens'),
  spent: undefined,
  // It ends in a gateway error, which has no member of its own for it.
  streamError: event({ error: { code: 'InternalServerError', message: 'Backend call failure' } }),
}

const openRouterError = (code: number, message: string, metadata?: object): Refusal => ({
  status: code,
  body: { error: { message, code, ...(metadata && { metadata }) }, user_id: 'user_1' },
})

const openRouter: Provider = {
  name: 'OpenRouter',
  source:
    'openrouter.ai/docs: errors, reasoning tokens, streaming; OpenRouterTeam/ai-sdk-provider src/schemas',
  model: 'anthropic/claude-sonnet-4.5',
  base: '/api/v1',
  cap: {
    largest: 60_000,
    refuse: cap =>
      openRouterError(
        400,
        `This endpoint's maximum context length is 60120 tokens. However, you requested about ${cap + 120} tokens (120 of text input, ${cap} in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
      ),
  },
  context: {
    largest: 4096,
    refuse: tokens =>
      openRouterError(
        400,
        `This endpoint's maximum context length is 4096 tokens. However, you requested about ${tokens} tokens (${tokens} of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
      ),
  },
  wrongPath: {
    status: 404,
    body: '<!DOCTYPE html><html><head><title>Not Found | OpenRouter</title></head></html>',
    headers: { 'content-type': 'text/html' },
  },
  wrongModel: openRouterError(400, 'nothing is not a valid model ID'),
  spent: openRouterError(
    402,
    'This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 20.',
  ),
  streamError: event({
    id: 'gen-1',
    error: { code: 502, message: 'Provider disconnected unexpectedly' },
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
  }),
}

const googleError = (code: number, status: string, message: string, details: object[] = []): Refusal => ({
  status: code,
  body: [{ error: { code, message, status, ...(details.length > 0 && { details }) } }],
})

const gemini: Provider = {
  name: 'Gemini',
  source:
    'ai.google.dev/gemini-api/docs: openai, thought-signatures, rate-limits; langgenius/dify-official-plugins issue 2088; TokenRhythm/opensquilla issue 225',
  model: 'gemini-3-pro-preview',
  base: '/v1beta/openai/',
  cap: {
    largest: 65_536,
    refuse: cap =>
      googleError(
        400,
        'INVALID_ARGUMENT',
        `Unable to submit request because it has a maxOutputTokens value of ${cap} but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.`,
      ),
  },
  context: {
    largest: 4096,
    refuse: tokens =>
      googleError(
        400,
        'INVALID_ARGUMENT',
        `The input token count (${tokens}) exceeds the maximum number of tokens allowed (4096).`,
      ),
  },
  wrongKey: googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
    },
  ]),
  // The same words as for a spent quota: only the delay shows that it passes.
  limited: googleError(
    429,
    'RESOURCE_EXHAUSTED',
    'You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 10\nPlease retry in 0.012s.',
    [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0s' }],
  ),
  streamError: event([
    {
      error: {
        code: 503,
        message: 'The model is overloaded. Please try again later.',
        status: 'UNAVAILABLE',
      },
    },
  ]),
}

const deepSeek: Provider = {
  name: 'DeepSeek',
  source:
    'api-docs.deepseek.com: thinking_mode, error_codes; vercel/ai packages/deepseek/src/chat/__fixtures__; continuedev/continue issue 10193',
  model: 'deepseek-reasoner',
  base: '',
  cap: {
    largest: 8192,
    refuse: () =>
      openAIError('Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', {
        code: 'invalid_request_error',
      }),
  },
  context: {
    largest: 4096,
    refuse: tokens =>
      openAIError(
        `This model's maximum context length is 4096 tokens. However, you requested ${tokens} tokens (${tokens} in the messages, 0 in the completion). Please reduce the length of the messages or completion.`,
        { code: 'invalid_request_error' },
      ),
  },
  wrongModel: openAIError('Model Not Exist', { code: 'invalid_request_error' }),
  spent: openAIError('Insufficient Balance', {
    status: 402,
    type: 'unknown_error',
    code: 'invalid_request_error',
  }),
  streamError: event({
    error: {
      message: 'Service is too busy. Please try again later.',
      type: 'service_unavailable_error',
      param: null,
      code: null,
    },
  }),
}

const mistralError = (
  status: number,
  message: unknown,
  type: string,
  code: string | null = null,
): Refusal => ({
  status,
  body: { object: 'error', message, type, param: null, code, raw_status_code: status },
})

const mistral: Provider = {
  name: 'Mistral',
  source:
    'docs.mistral.ai/api; vercel/ai packages/mistral/src/__fixtures__; mistralai/client-python; mistralai/mistral-common validator',
  model: 'magistral-medium-latest',
  base: '/v1',
  context: {
    largest: 4096,
    refuse: tokens =>
      mistralError(
        400,
        `Prompt contains ${tokens} tokens and 0 draft tokens, too large for model with 4096 maximum context length`,
        'invalid_request_invalid_args',
        '3051',
      ),
  },
  wrongModel: mistralError(400, 'Invalid model: nothing', 'invalid_model', '1500'),
  streamError: event({
    object: 'error',
    message: 'Service unavailable.',
    type: 'internal_server_error',
    code: '3700',
  }),
}

const groq: Provider = {
  name: 'Groq',
  source:
    'console.groq.com/docs: openai, errors, tool-use; vercel/ai packages/groq/src/__fixtures__; groq/groq-python',
  model: 'openai/gpt-oss-120b',
  base: '/openai/v1',
  cap: {
    largest: 65_536,
    refuse: () =>
      openAIError(
        '`max_tokens` must be less than or equal to `65536`, the maximum value for `max_tokens` is less than the `context_window` for this model',
        { param: 'max_tokens' },
      ),
  },
  context: {
    largest: 8000,
    refuse: tokens =>
      openAIError(
        `Request too large for model \`openai/gpt-oss-120b\` in organization \`org_1\` service tier \`on_demand\` on tokens per minute (TPM): Limit 8000, Requested ${tokens}, please reduce your message size and try again.`,
        { status: 413, type: 'tokens', code: 'rate_limit_exceeded' },
      ),
  },
  streamError: event(
    {
      error: {
        message:
          "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        type: 'invalid_request_error',
        code: 'tool_use_failed',
        failed_generation: '<function=add{"a":1}',
      },
    },
    'error',
  ),
}

const xaiError = (status: number, code: string, error: string): Refusal => ({ status, body: { code, error } })
const INVALID = 'Client specified an invalid argument'

const xai: Provider = {
  name: 'xAI',
  source: 'docs.x.ai: chat, reasoning, errors; vercel/ai packages/xai/src/__fixtures__, xai-error.ts',
  model: 'grok-3-mini',
  base: '/v1',
  context: {
    largest: 4096,
    refuse: tokens =>
      xaiError(
        400,
        INVALID,
        `This model's maximum prompt length is 4096 but the request contains ${tokens} tokens.`,
      ),
  },
  wrongKey: xaiError(
    400,
    INVALID,
    'Incorrect API key provided: wr***ey. You can obtain an API key from https://console.x.ai.',
  ),
  spent: xaiError(
    429,
    'Some resource has been exhausted',
    'Your team has used all available credits or reached its monthly spending limit. Please purchase more credits.',
  ),
  limited: xaiError(
    429,
    'Some resource has been exhausted',
    'Too many requests for team 1 and model grok-3-mini. Your team’s rate limit is reached.',
  ),
  streamError: event({
    code: 'The service is currently unavailable',
    error: 'The model is at capacity and currently unavailable.',
  }),
}

export const hosted: readonly Provider[] = [
  openAI,
  azureClassic,
  openRouter,
  gemini,
  deepSeek,
  mistral,
  groq,
  xai,
]
