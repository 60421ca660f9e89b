import type { Provider, Refusal } from './provider.ts'

const vllmError = (status: number, message: string, type: string, param: string | null = null): Refusal => ({
  status,
  body: { error: { message, type, param, code: status } },
})
const vllmRequest = (message: string, param: string | null = null) =>
  vllmError(400, message, 'BadRequestError', param)

const vllm: Provider = {
  name: 'vLLM',
  source: 'vllm-project/vllm vllm/entrypoints/openai: protocol.py, serving_engine.py, serving_chat.py',
  model: 'Qwen/Qwen3-8B',
  base: '/v1',
  cap: {
    largest: 32_217,
    refuse: cap =>
      vllmRequest(
        `'max_tokens' or 'max_completion_tokens' is too large: ${cap}. This model's maximum context length is 32768 tokens and your request has 551 input tokens (${cap} > 32768 - 551). (parameter=max_tokens, value=${cap})`,
        'max_tokens',
      ),
  },
  context: {
    largest: 4096,
    refuse: tokens =>
      vllmRequest(
        `This model's maximum context length is 4096 tokens. However, your request has ${tokens} input tokens. Please reduce the length of the input messages.`,
        'input_tokens',
      ),
  },
  limited: vllmError(503, 'The server is overloaded.', 'ServiceUnavailableError'),
  // Form of versions before 0.10: an error, by its object's name.
  streamError:
    'data: {"object":"error","message":"EngineCore encountered an issue.","type":"InternalServerError","param":null,"code":500}\n\ndata: [DONE]\n\n',
}

const llamaError = (code: number, message: string, type: string, more: object = {}): Refusal => ({
  status: code,
  body: { error: { code, message, type, ...more } },
})

const llamaCpp: Provider = {
  name: 'llama.cpp',
  source: 'ggml-org/llama.cpp tools/server/README.md, tools/server/utils.hpp, tools/server/tests',
  model: 'any',
  base: '/v1',
  context: {
    largest: 4096,
    refuse: tokens =>
      llamaError(
        400,
        `the request exceeds the available context size. try increasing the context size or enable context shift`,
        'exceed_context_size_error',
        {
          n_prompt_tokens: tokens,
          n_ctx: 4096,
        },
      ),
  },
  // A separate field, next to `data`, in versions before the end of 2025.
  streamError: 'error: {"code":500,"message":"Compute error.","type":"server_error"}\n\n',
}

const lmStudio: Provider = {
  name: 'LM Studio',
  source: 'lmstudio.ai/docs/developer/openai-compat; lmstudio-ai/lmstudio-bug-tracker issues 1323, 237',
  model: 'qwen2.5-7b-instruct',
  base: '/v1',
  context: {
    largest: 4096,
    refuse: tokens => ({
      status: 400,
      body: {
        error: `Trying to keep the first ${tokens} tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input`,
      },
    }),
  },
  wrongPath: { status: 200, body: { error: 'Unexpected endpoint or method. (POST /chat/completions)' } },
  limited: { status: 500, body: { error: 'Model is unloading' } },
  streamError:
    'event: error\ndata: {"error":{"message":"The model has crashed without additional information. (Exit code: 18446744072635812000)"}}\n\n',
}

const liteError = (status: number, message: string, type: string | null = null): Refusal => ({
  status,
  body: { error: { message, type, param: null, code: `${status}` } },
})

const liteLlm: Provider = {
  name: 'LiteLLM',
  source:
    'BerriAI/litellm litellm/exceptions.py, tests/llm_translation/test_anthropic_completion.py; camel-ai/owl issue 532; earendil-works/pi issue 149',
  model: 'claude',
  base: '',
  cap: {
    largest: 64_000,
    refuse: cap =>
      liteError(
        400,
        `litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: ${cap} > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5-20250929"}}. Received Model Group=claude\nAvailable Model Group Fallbacks=None`,
      ),
  },
  context: {
    largest: 4096,
    refuse: tokens =>
      liteError(
        400,
        `litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicError - {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: ${tokens} tokens > 4096 maximum"}}`,
      ),
  },
  wrongModel: liteError(
    400,
    '/chat/completions: Invalid model name passed in model=nothing. Call `/v1/models` to view available models for your key.',
    'invalid_request_error',
  ),
  spent: liteError(
    400,
    'ExceededBudget: Budget has been exceeded! Current cost: 10.2, Max budget: 10.0',
    'budget_exceeded',
  ),
  streamError:
    'data: {"error": {"message": "litellm.InternalServerError: AnthropicException - Overloaded. Handle with `litellm.InternalServerError`.", "type": null, "param": null, "code": "500"}}\n\n',
}

export const local: readonly Provider[] = [vllm, llamaCpp, lmStudio, liteLlm]
