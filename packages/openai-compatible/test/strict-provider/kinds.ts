import { openAIError } from '../providers/hosted.ts'
import type { Kind, Objection } from './provider.ts'
import * as rules from './rules.ts'
import { templateNames } from './templates.ts'

const inOpenAIForm = ({ message, ...details }: Objection) => openAIError(message, details)
const inAnthropicForm = ({ message }: Objection) =>
  openAIError(
    `litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":${JSON.stringify(message)}}}`,
  )
const inGoogleForm = ({ message }: Objection) => ({
  status: 400,
  body: [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }],
})
const inMistralForm = ({ message, code = '3051' }: Objection) => ({
  status: code === 'unknown_parameter' ? 422 : 400,
  body: { object: 'error', message, type: 'invalid_request_error', param: null, code },
})
const inRouterForm = ({ message }: Objection) => ({
  status: 400,
  body: { error: { message: 'Provider returned error', code: 400, metadata: { raw: message } } },
})
const inVllmForm = ({ message, param = '' }: Objection) => ({
  status: 400,
  body: { error: { message, type: 'BadRequestError', param, code: 400 } },
})

/** Of every server that follows the protocol. */
const PROTOCOL = [rules.pairs, rules.wellFormed, rules.uniqueIds]
const STRICT = [...PROTOCOL, rules.names, rules.plainIds]

const openAICap = rules.capAtMost(
  'openai/openai-python tests/lib/chat',
  cap =>
    `max_tokens is too large: ${cap}. This model supports at most ${rules.LARGEST_CAP} completion tokens, whereas you provided ${cap}.`,
)
const anthropicCap = rules.capAtMost(
  'BerriAI/litellm tests/llm_translation/test_anthropic_completion.py',
  cap =>
    `max_tokens: ${cap} > ${rules.LARGEST_CAP}, which is the maximum allowed number of output tokens for claude-sonnet-4-5`,
)
const googleCap = rules.capAtMost(
  'ai.google.dev/gemini-api/docs/troubleshooting',
  cap =>
    `Unable to submit request because it has a maxOutputTokens value of ${cap} but the supported range is from 1 (inclusive) to ${rules.LARGEST_CAP + 1} (exclusive). Update the value and try again.`,
)
const deepSeekCap = rules.capAtMost(
  'api-docs.deepseek.com/api/create-chat-completion',
  () => `Invalid max_tokens value, the valid range of max_tokens is [1, ${rules.LARGEST_CAP}]`,
)

const schemaByName = rules.plainSchemas(
  'name',
  'lastmile-ai/openai-agents-mcp issue 2; tailcallhq/forgecode issue 1359',
  (_at, name) =>
    `Invalid schema for function '${name}': In context=('properties', 'root'), '$ref' is not permitted.`,
)
const schemaByGoogleNumber = rules.plainSchemas(
  'number',
  'google-gemini/gemini-cli issue 13326; sbroenne/mcp-server-excel issue 672',
  at =>
    `Invalid JSON payload received. Unknown name "$ref" at 'tools[0].function_declarations[${at}].parameters.properties[0].value': Cannot find field.`,
)
const schemaByAnthropicNumber = rules.plainSchemas(
  'number',
  'anthropics/claude-code issues 7365, 8900',
  at =>
    `tools.${at}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).`,
)
const schemaSilently = rules.plainSchemas(
  'silently',
  'QwenLM/qwen-code issue 10520; ggml-org/llama.cpp issue 14227',
  () => 'Failed to initialize samplers: failed to parse grammar',
)

const anthropicKinds: Pick<Kind, 'always' | 'maybe'> = {
  always: [...STRICT, rules.noEmptyText, rules.toolsWithResults, rules.noPrefill],
  maybe: [anthropicCap, schemaByAnthropicNumber],
}

const pieces: Kind['manner'] = { pieces: ['whole', 'pieces'] }
const packets: Kind['manner'] = { packets: ['events', 'one', 'cut'] }

/** Servers of the big providers. */
const hosted: readonly Kind[] = [
  {
    name: 'OpenAI',
    source: 'openai/openai-openapi openapi.yaml',
    model: 'gpt-4.1-mini',
    always: [...STRICT, rules.knownMembers()],
    maybe: [openAICap, schemaByName],
    manner: { ...pieces, ...packets },
    refuse: inOpenAIForm,
  },
  {
    name: 'Azure OpenAI, reasoning',
    source: 'learn.microsoft.com/azure/ai-foundry/openai/reference; Azure/azure-rest-api-specs',
    model: 'deployment-7',
    always: [...STRICT, rules.knownMembers(), rules.onlyNewCap, rules.noTemperature],
    maybe: [openAICap, schemaByName, rules.noStreamOptions],
    manner: { ...pieces, ...packets, noise: ['none', 'empty_choices'], thoughtTokens: ['inside'] },
    refuse: inOpenAIForm,
  },
  {
    name: 'Anthropic behind LiteLLM',
    source: 'BerriAI/litellm litellm/llms/anthropic; docs.anthropic.com/en/api/errors',
    model: 'claude',
    ...anthropicKinds,
    always: [
      ...anthropicKinds.always,
      rules.keptMember(
        'thinking_blocks',
        'BerriAI/litellm docs/reasoning_content; docs.anthropic.com, extended thinking',
        at => `messages.${at}.content.0.type: Expected \`thinking\`, but found \`tool_use\`.`,
      ),
    ],
    manner: {
      ...packets,
      pieces: ['pieces'],
      reasoning: ['reasoning_content'],
      words: ['thinking_blocks'],
      usage: ['own_chunk', 'spread'],
      noise: ['none', 'ping'],
    },
    refuse: inAnthropicForm,
    takesOnlyOwnTurns: true,
  },
  {
    name: 'Bedrock behind a gateway',
    source: 'AWS Bedrock API reference: ContentBlock, ToolUseBlock, ToolConfiguration',
    model: 'anthropic.claude-v4',
    ...anthropicKinds,
    manner: { ...pieces, ...packets, usage: ['own_chunk', 'spread', 'every_chunk'] },
    refuse: inAnthropicForm,
  },
  {
    name: 'OpenRouter',
    source: 'openrouter.ai/docs: errors, reasoning tokens, streaming',
    model: 'anthropic/claude-sonnet-4.5',
    always: [
      ...PROTOCOL,
      rules.names,
      rules.noEmptyText,
      rules.toolsWithResults,
      rules.keptMember(
        'reasoning_details',
        'openrouter.ai/docs, preserving reasoning blocks',
        at => `messages.${at}.content.0: expected \`thinking\`, but found \`tool_use\``,
      ),
    ],
    maybe: [schemaSilently],
    manner: {
      ...pieces,
      ...packets,
      reasoning: ['reasoning'],
      words: ['reasoning_details'],
      noise: ['comment'],
    },
    refuse: inRouterForm,
    takesOnlyOwnTurns: true,
  },
  {
    name: 'Gemini',
    source: 'ai.google.dev/gemini-api/docs: openai, thought-signatures',
    model: 'gemini-3-pro-preview',
    always: [
      ...STRICT,
      rules.knownMembers(['extra_content']),
      rules.keptMember(
        'extra_content',
        'ai.google.dev/gemini-api/docs/thought-signatures',
        at =>
          `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:join_words\` , position ${at}.`,
        value => JSON.stringify(value ?? '').includes('skip_thought_signature_validator'),
      ),
    ],
    maybe: [googleCap, schemaByGoogleNumber],
    manner: {
      ...packets,
      index: ['own', 'zero'],
      reason: ['stop'],
      finish: ['own_chunk', 'last_delta', 'every_chunk'],
      usage: ['with_finish', 'every_chunk'],
      thoughtTokens: ['apart'],
      words: ['thought_signature'],
      names: ['plain', 'default_api'],
    },
    refuse: inGoogleForm,
  },
  {
    name: 'DeepSeek',
    source: 'api-docs.deepseek.com: thinking_mode, error_codes',
    model: 'deepseek-reasoner',
    always: [
      ...PROTOCOL,
      rules.keptMember(
        'reasoning_content',
        'api-docs.deepseek.com/guides/thinking_mode#tool-calls; continuedev/continue issue 10193',
        at =>
          `Missing \`reasoning_content\` field in the assistant message at message index ${at}. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls`,
        value => value === '',
      ),
    ],
    maybe: [deepSeekCap],
    manner: {
      ...pieces,
      ...packets,
      reasoning: ['reasoning_content'],
      usage: ['with_finish'],
      noise: ['comment'],
      template: ['deepseek_v3', 'deepseek_v31', 'deepseek_dsml'],
    },
    refuse: inOpenAIForm,
  },
  {
    name: 'Mistral',
    source: 'docs.mistral.ai/api; mistralai/client-python; mistralai/mistral-common',
    model: 'magistral-medium-latest',
    always: [
      ...PROTOCOL,
      rules.knownMembers(),
      rules.nineLetters,
      rules.noStreamOptions,
      rules.noPrefill,
      rules.noUserBehindResults,
    ],
    maybe: [],
    manner: {
      ...packets,
      ids: ['nine'],
      index: ['own', 'none'],
      reasoning: ['none', 'parts'],
      finish: ['last_delta'],
      usage: ['with_finish'],
      template: ['mistral_list', 'mistral_args'],
      calls: ['wire', 'wire', 'text'],
    },
    refuse: inMistralForm,
  },
  {
    name: 'Groq',
    source: 'console.groq.com/docs: openai, tool-use; vllm-project/vllm issue 35906',
    model: 'openai/gpt-oss-120b',
    always: [...PROTOCOL, rules.names, rules.knownMembers(['reasoning'])],
    maybe: [],
    manner: {
      ...packets,
      reasoning: ['reasoning'],
      usage: ['x_groq'],
      names: ['plain', 'functions', 'channel'],
      args: ['plain', 'token_behind'],
    },
    refuse: inOpenAIForm,
  },
  {
    name: 'xAI',
    source: 'docs.x.ai: chat, reasoning; vercel/ai issue 12425',
    model: 'grok-3-mini',
    always: [...PROTOCOL, rules.names],
    maybe: [],
    manner: {
      ...packets,
      reasoning: ['reasoning_content'],
      usage: ['with_finish', 'every_chunk'],
      thoughtTokens: ['apart'],
    },
    refuse: inOpenAIForm,
  },
]

/** Gateways, and what they were seen to do. */
const gateways: readonly Kind[] = [
  {
    name: 'Gateways',
    source:
      'maximhq/bifrost issues 1829, 6784; BerriAI/litellm issue 2195; su-kaka/gcli2api issue 403; microsoft/agent-framework issue 8336',
    model: 'any-model',
    always: STRICT,
    maybe: [
      rules.noEmptyText,
      rules.toolsWithResults,
      rules.noPrefill,
      rules.noStreamOptions,
      rules.noTemperature,
      schemaSilently,
    ],
    manner: {
      ...packets,
      way: ['streamed', 'streamed', 'whole'],
      end: ['done', 'body', 'open'],
      finish: ['own_chunk', 'last_delta', 'every_chunk', 'none'],
      reason: ['tool_calls', 'stop'],
      usage: ['own_chunk', 'with_finish', 'every_chunk', 'spread', 'in_choice', 'missing'],
      thoughtTokens: ['inside', 'apart'],
      newline: ['\n', '\r\n'],
      noise: ['none', 'empty_data', 'ping', 'comment', 'empty_choices'],
      reasoning: ['none', 'reasoning_content', 'reasoning', 'think_tags', 'lone_close'],
      content: ['string', 'parts'],
      pieces: ['whole', 'pieces', 'interleaved'],
      index: ['own', 'none', 'zero'],
      ids: ['unique', 'none', 'again_each_turn', 'all_alike'],
      idsIn: ['first_piece', 'every_piece'],
      names: ['plain', 'functions', 'default_api', 'space', 'case', 'dash'],
      args: ['plain', 'braces_first', 'doubled', 'token_behind', 'members_as_text'],
    },
    refuse: inOpenAIForm,
  },
  {
    name: 'Gateways without `tool_choice: "none"`',
    source: 'BerriAI/litellm issues 24443, 37980; boto/boto3 issue 4687',
    // By this name it takes `max_completion_tokens`.
    model: 'gpt-5-behind-a-gateway',
    always: [...PROTOCOL, rules.noChoiceOfNone],
    maybe: [rules.noTemperature, rules.onlyOldCap, openAICap],
    manner: { ...pieces, ...packets, usage: ['own_chunk', 'missing'] },
    refuse: inOpenAIForm,
  },
]

/** Open models: what the server does not parse stays in the text, in the model's own template. */
const runtimes: readonly Kind[] = [
  {
    name: 'vLLM, SGLang, TGI',
    source: 'vllm-project/vllm vllm/tool_parsers, issues 13125, 35906; openai/openai-agents-js issue 712',
    model: 'an/open-model',
    params: { chat_template_kwargs: { enable_thinking: true } },
    always: [
      ...PROTOCOL,
      rules.systemFirst,
      rules.choiceWithTools,
      rules.neededMember(
        'chat_template_kwargs',
        'docs.vllm.ai, reasoning outputs; Qwen/Qwen3-8B tokenizer_config.json',
      ),
    ],
    maybe: [rules.noStreamOptions, schemaSilently],
    manner: {
      ...packets,
      end: ['done', 'done', 'body', 'open'],
      finish: ['own_chunk', 'last_delta'],
      reason: ['tool_calls', 'stop'],
      usage: ['own_chunk', 'every_chunk', 'missing'],
      reasoning: ['none', 'think_tags', 'lone_close', 'reasoning_content'],
      template: templateNames,
      calls: ['text', 'text', 'text', 'wire'],
      frame: ['none', 'end', 'both'],
      pieces: ['whole', 'pieces', 'interleaved'],
      idsIn: ['first_piece', 'every_piece'],
      names: ['plain', 'functions', 'channel', 'space', 'dash'],
      args: ['plain', 'braces_first', 'doubled', 'token_behind', 'members_as_text'],
    },
    refuse: inVllmForm,
  },
  {
    name: 'Ollama, llama.cpp, LM Studio',
    source: 'ollama/ollama openai/openai.go; ggml-org/llama.cpp tools/server; lmstudio.ai/docs',
    model: 'local',
    always: [...PROTOCOL, rules.noPrefill],
    maybe: [schemaSilently],
    manner: {
      ...packets,
      way: ['streamed', 'streamed', 'whole'],
      end: ['done', 'body'],
      finish: ['own_chunk', 'last_delta'],
      reason: ['tool_calls', 'stop'],
      usage: ['own_chunk', 'with_finish', 'missing'],
      reasoning: ['none', 'reasoning', 'think_tags', 'lone_close'],
      template: templateNames,
      calls: ['text', 'text', 'wire'],
      frame: ['none', 'end'],
      ids: ['unique', 'none', 'again_each_turn'],
      index: ['own', 'zero'],
      names: ['plain', 'functions', 'space', 'case'],
      args: ['plain', 'members_as_text'],
    },
    refuse: inVllmForm,
  },
]

const responses: readonly Kind[] = [
  {
    name: 'OpenAI, Responses',
    source: 'openai/openai-openapi openapi.yaml, /responses',
    api: 'responses',
    isOpenAIResponses: true,
    model: 'gpt-5.6',
    always: [...STRICT, rules.noTemperature],
    maybe: [openAICap, schemaByName],
    manner: {
      ...packets,
      usage: ['with_finish'],
      reasoning: ['reasoning_content'],
      pieces: ['whole', 'pieces', 'interleaved'],
    },
    refuse: inOpenAIForm,
  },
  {
    name: 'vLLM, Responses',
    source: 'docs.vllm.ai, serving/online_serving; vllm-project/vllm vllm/entrypoints/openai/responses',
    api: 'responses',
    model: 'an/open-model',
    always: PROTOCOL,
    maybe: [],
    manner: {
      ...packets,
      way: ['streamed', 'streamed', 'whole'],
      usage: ['with_finish'],
      noise: ['none', 'ping', 'comment', 'empty_data'],
      pieces: ['whole', 'pieces', 'interleaved'],
      ids: ['unique', 'again_each_turn'],
      names: ['plain', 'functions', 'channel'],
      args: ['plain', 'token_behind', 'doubled'],
      template: ['hermes', 'glm', 'deepseek_v31', 'qwen_coder', 'harmony'],
      calls: ['wire', 'wire', 'text'],
    },
    refuse: inVllmForm,
  },
]

export const kinds: readonly Kind[] = [...hosted, ...gateways, ...runtimes, ...responses]

/** Gateways and open models have most to draw from, so they are drawn more often. */
export const drawn: readonly Kind[] = [
  ...hosted,
  ...Array<readonly Kind[]>(5).fill(gateways).flat(),
  ...Array<readonly Kind[]>(8).fill(runtimes).flat(),
  ...Array<readonly Kind[]>(2).fill(responses).flat(),
]
