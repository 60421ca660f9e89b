/** How a family of models writes a tool call into its text. `｜` and `▁`, which DeepSeek writes, are `|` and `_` here. */
export interface Template {
  readonly models: string
  /** The token with which a call, or a list of calls, begins. */
  readonly opens: string
  /** The token with which it ends; absent: it goes on to the end of the reply. */
  readonly closes?: string
  /** Where the form is documented. */
  readonly source: string
}

const VLLM = 'vllm-project/vllm vllm/tool_parsers'
const LLAMA_CPP = 'ggml-org/llama.cpp common/chat.cpp'

/** Between the tokens stands one of the bodies that `call-bodies.ts` reads, or another of these templates. */
export const TEMPLATES: readonly Template[] = [
  {
    models: 'Hermes, Qwen, GLM, Granite 4, Hunyuan, ERNIE',
    opens: '<tool_call>',
    closes: '</tool_call>',
    source: `${VLLM}/hermes, glm4_moe, hunyuan_a13b`,
  },
  {
    models: 'MiniMax M1, Jamba, Hunyuan',
    opens: '<tool_calls>',
    closes: '</tool_calls>',
    source: `${VLLM}/minimax, jamba`,
  },
  {
    models: 'Qwen3-Coder, Llama 3, Functionary, Seed-OSS',
    opens: '<function=',
    closes: '</function>',
    source: `${VLLM}/qwen3coder, seed_oss`,
  },
  { models: 'MiniCPM', opens: '<function name="', closes: '</function>', source: `${VLLM}/minicpm5xml` },
  {
    models: 'Granite 20B',
    opens: '<function_call>',
    closes: '</function_call>',
    source: `${VLLM}/granite_20b_fc`,
  },
  {
    models: 'Claude, OLMo 3',
    opens: '<function_calls>',
    closes: '</function_calls>',
    source: `${VLLM}/olmo3; anthropics/claude-code#69258`,
  },
  {
    models: 'Claude, MiniMax M2',
    opens: '<invoke name="',
    closes: '</invoke>',
    source: `${VLLM}/minimax_m2`,
  },
  {
    models: 'Claude 2',
    opens: '<invoke>',
    closes: '</invoke>',
    source: 'docs.anthropic.com, legacy tool use',
  },
  {
    models: 'MiniMax M2',
    opens: '<minimax:tool_call>',
    closes: '</minimax:tool_call>',
    source: `${VLLM}/minimax_m2`,
  },
  { models: 'Seed-OSS', opens: '<seed:tool_call>', closes: '</seed:tool_call>', source: `${VLLM}/seed_oss` },
  {
    models: 'LongCat',
    opens: '<longcat_tool_call>',
    closes: '</longcat_tool_call>',
    source: `${VLLM}/longcat`,
  },
  { models: 'Nemotron', opens: '<TOOLCALL>', closes: '</TOOLCALL>', source: LLAMA_CPP },
  { models: 'Llama 3.1', opens: '<|python_tag|>', closes: '<|eom_id|>', source: `${VLLM}/llama` },
  {
    models: 'Llama 4',
    opens: '<|python_start|>',
    closes: '<|python_end|>',
    source: `${VLLM}/llama4_pythonic`,
  },
  { models: 'Mistral', opens: '[TOOL_CALLS]', source: `${VLLM}/mistral` },
  {
    models: 'LM Studio, for models without a template',
    opens: '[TOOL_REQUEST]',
    closes: '[END_TOOL_REQUEST]',
    source: 'lmstudio.ai/docs, tool use',
  },
  {
    models: 'DeepSeek V3, R1',
    opens: '<|tool_calls_begin|>',
    closes: '<|tool_calls_end|>',
    source: `${VLLM}/deepseekv3, deepseekv31`,
  },
  {
    models: 'DeepSeek V3, R1, Kimi K2',
    opens: '<|tool_call_begin|>',
    closes: '<|tool_call_end|>',
    source: `${VLLM}/deepseekv3, kimi_k2`,
  },
  {
    models: 'Kimi K2',
    opens: '<|tool_calls_section_begin|>',
    closes: '<|tool_calls_section_end|>',
    source: `${VLLM}/kimi_k2`,
  },
  {
    models: 'DeepSeek V3.2',
    opens: '<|DSML|function_calls>',
    closes: '</|DSML|function_calls>',
    source: `${VLLM}/deepseekv32`,
  },
  {
    models: 'DeepSeek V4',
    opens: '<|DSML|tool_calls>',
    closes: '</|DSML|tool_calls>',
    source: `${VLLM}/deepseekv4`,
  },
  {
    models: 'DeepSeek V3.2',
    opens: '<|DSML|invoke name="',
    closes: '</|DSML|invoke>',
    source: `${VLLM}/deepseekv32`,
  },
  {
    models: 'Granite 3, Phi-4-mini',
    opens: '<|tool_call|>',
    closes: '<|/tool_call|>',
    source: `${VLLM}/granite, phi4mini`,
  },
  {
    models: 'Phi-4-mini',
    opens: '<|tool_calls|>',
    closes: '<|/tool_calls|>',
    source: 'huggingface.co/microsoft/Phi-4-mini-instruct',
  },
  { models: 'Phi-4-mini, Firefunction', opens: 'functools[', source: `${VLLM}/phi4mini` },
  { models: 'Gemma 4', opens: '<|tool_call>', closes: '<tool_call|>', source: `${VLLM}/gemma4` },
  {
    models: 'FunctionGemma',
    opens: '<start_function_call>',
    closes: '<end_function_call>',
    source: `${VLLM}/functiongemma`,
  },
  {
    models: 'Gemma',
    opens: '```tool_code',
    closes: '```',
    source: 'ai.google.dev/gemma/docs/capabilities/function-calling',
  },
  {
    models: 'Gemma',
    opens: '```tool_call',
    closes: '```',
    source: 'ai.google.dev/gemma/docs/capabilities/function-calling',
  },
  {
    models: 'Command',
    opens: '<|START_ACTION|>',
    closes: '<|END_ACTION|>',
    source: `${VLLM}/cohere_command`,
  },
  {
    models: 'InternLM',
    opens: '<|action_start|><|plugin|>',
    closes: '<|action_end|>',
    source: `${VLLM}/internlm2`,
  },
  { models: 'LFM2', opens: '<|tool_call_start|>', closes: '<|tool_call_end|>', source: `${VLLM}/lfm2` },
  { models: 'Apertus', opens: '<|tools_prefix|>', closes: '<|tools_suffix|>', source: `${VLLM}/apertus` },
  { models: 'gpt-oss (harmony)', opens: '<|channel|>', source: 'openai/harmony docs/format.md' },
  {
    models: 'others, by prompt',
    opens: '<tool_use>',
    closes: '</tool_use>',
    source: 'anthropics/claude-code#69258',
  },
  {
    models: 'others, by prompt',
    opens: '<toolcall>',
    closes: '</toolcall>',
    source: 'anthropics/claude-code#69258',
  },
  { models: 'Qwen2.5-Coder', opens: '<tools>', closes: '</tools>', source: `${VLLM}/hermes` },
  {
    models: 'Gemini',
    opens: '<tool_code>',
    closes: '</tool_code>',
    source: 'ai.google.dev/gemma/docs/capabilities/function-calling',
  },
  {
    models: 'Hermes, with attributes',
    opens: '<tool_call ',
    closes: '</tool_call>',
    source: `${VLLM}/hermes`,
  },
  { models: 'ReAct, in Markdown', opens: '\n**Action:**', source: 'arXiv:2210.03629' },
  { models: 'ReAct', opens: '\nAction:', source: 'arXiv:2210.03629; LangChain, create_react_agent' },
]

/** The sections in which models think, at the start of a reply. */
export const REASONING = [
  { opens: '<think>', closes: '</think>', models: 'DeepSeek R1, Qwen, GLM, MiniMax' },
  { opens: '<thinking>', closes: '</thinking>', models: 'Claude, by prompt' },
  { opens: '<thought>', closes: '</thought>', models: 'Gemma, by prompt' },
  { opens: '<reasoning>', closes: '</reasoning>', models: 'by prompt' },
  { opens: '<seed:think>', closes: '</seed:think>', models: 'Seed-OSS' },
  { opens: '[THINK]', closes: '[/THINK]', models: 'Magistral' },
  { opens: '◁think▷', closes: '◁/think▷', models: 'Kimi-VL' },
  { opens: '<|START_THINKING|>', closes: '<|END_THINKING|>', models: 'Command' },
  { opens: '<|begin_of_thought|>', closes: '<|end_of_thought|>', models: 'OpenThinker' },
  { opens: '<|channel>thought', closes: '<channel|>', models: 'Gemma 4' },
] as const

/** Control tokens with which a turn begins. */
export const TURN_STARTS = [
  '<|im_start|>assistant',
  '<|start_header_id|>assistant<|end_header_id|>',
  '<start_of_turn>model',
  '<|turn>model',
  '<|assistant|>',
  '<|start|>assistant',
  '<|Assistant|>',
  '<|im_assistant|>assistant<|im_middle|>',
  '<|start_of_role|>assistant<|end_of_role|>',
  ']~b]ai',
  '<|message|>',
  '<|CHATBOT_TOKEN|>',
  '<|START_OF_TURN_TOKEN|>',
  '<|START_RESPONSE|>',
  '<|begin_of_text|>',
  '<|begin_of_sentence|>',
  '[/INST]',
  '<bos>',
] as const

/** Control tokens with which one ends. */
export const TURN_ENDS = [
  '<|im_end|>',
  '<|im_sep|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|eot|>',
  '<|eom|>',
  '<|end|>',
  '<|return|>',
  '<|call|>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '<|end_of_turn|>',
  '<|end_of_role|>',
  '<|end_of_sentence|>',
  '<|END_OF_TURN_TOKEN|>',
  '<|END_RESPONSE|>',
  '<|observation|>',
  '<|user|>',
  '<end_of_turn>',
  '[e~[',
  '<turn|>',
  '</s>',
  '<eos>',
  '[EOS]',
] as const

/** The source of a pattern that finds a token. */
export function patternOf(token: string): string {
  return token.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}

/** With the ASCII characters of the tables in place of those that DeepSeek writes, to look for tokens; as long as the text. */
export function inAscii(text: string): string {
  return /[｜▁]/.test(text) ? text.replaceAll('｜', '|').replaceAll('▁', '_') : text
}

/** The same within tokens only. */
export function withAsciiTokens(text: string): string {
  return text.includes('｜') ? text.replace(/<\/?｜[^<>｜]{1,40}｜[\w▁]{0,40}/g, inAscii) : text
}
