import type { Call } from './task.ts'
import { json } from './text.ts'

/** How a model writes its calls and frames its turn, where the server does not parse it. */
interface Template {
  readonly source: string
  /** Absent: one call a turn. */
  readonly isParallel?: true
  readonly write: (calls: readonly Call[]) => string
  readonly frame?: readonly [begin: string, end: string]
  /** The model's reasoning has a place of its own. */
  readonly reasoning?: 'channel'
  /** The call is all of the text, so nothing is said before it. */
  readonly isAlone?: true
}

const each = (write: (call: Call, index: number) => string, between = '\n') => ({
  isParallel: true as const,
  write: (calls: readonly Call[]) => calls.map(write).join(between),
})
const object = ({ name, args }: Call) => json({ name, arguments: args })
const list = (calls: readonly Call[]) => `[${calls.map(object).join(', ')}]`
/** A string as it is, anything else as JSON. */
const bare = (value: unknown) => (typeof value === 'string' ? value : json(value))
const members = ({ args }: Call, write: (key: string, value: unknown) => string) =>
  Object.entries(args)
    .map(([key, value]) => write(key, value))
    .join('\n')
const invoke = (call: Call, mark = '') =>
  `<${mark}invoke name="${call.name}">\n${members(call, (key, value) => `<${mark}parameter name="${key}">${bare(value)}</${mark}parameter>`)}\n</${mark}invoke>`
const functionTag = (call: Call) =>
  `<function=${call.name}>\n${members(call, (key, value) => `<parameter=${key}>\n${bare(value)}\n</parameter>`)}\n</function>`

const CHAT_ML = ['<|im_start|>assistant\n', '<|im_end|>'] as const
const LLAMA = ['<|start_header_id|>assistant<|end_header_id|>\n\n', '<|eot_id|>'] as const
const DEEPSEEK = ['<｜Assistant｜>', '<｜end▁of▁sentence｜>'] as const
const MISTRAL = ['', '</s>'] as const
const GLM = ['<|assistant|>\n', '<|user|>'] as const

export const templates = {
  hermes: {
    source: 'NousResearch/Hermes-Function-Calling README; Qwen/Qwen3-8B tokenizer_config.json',
    ...each(call => `<tool_call>\n${object(call)}\n</tool_call>`),
    frame: CHAT_ML,
  },
  qwen_coder: {
    source:
      'Qwen/Qwen3-Coder-30B-A3B-Instruct chat_template.jinja; vllm-project/vllm qwen3coder_tool_parser.py',
    ...each(call => `<tool_call>\n${functionTag(call)}\n</tool_call>`),
    frame: CHAT_ML,
  },
  qwen_coder_bare: {
    source: 'AntSeed/antseed issue 213: the outer tag left out',
    ...each(functionTag),
    frame: CHAT_ML,
  },
  qwen_coder_unopened: {
    source: 'ollama/ollama issues 16686, 18530: only the opening tag left out',
    ...each(call => `${functionTag(call)}\n</tool_call>`),
    frame: CHAT_ML,
  },
  llama_python_tag: {
    source: 'vllm-project/vllm llama_tool_parser.py; meta-llama/llama-models prompt_format.md of 3.1',
    ...each(({ name, args }) => json({ name, parameters: args }), '; '),
    write: calls =>
      `<|python_tag|>${calls.map(({ name, args }) => json({ name, parameters: args })).join('; ')}`,
    frame: LLAMA,
  },
  llama_function: {
    source: 'meta-llama/llama-models prompt_format.md of 3.1, user-defined tools',
    ...each(({ name, args }) => `<function=${name}>${json(args)}</function>`),
    frame: LLAMA,
  },
  llama_json: {
    source: 'unarbos/arbos issue 278; meta-llama/llama-models prompt_format.md of 3.1, JSON tools',
    write: ([call]) => json({ type: 'function', name: call?.name, parameters: call?.args }),
    frame: LLAMA,
    isAlone: true,
  },
  mistral_list: {
    source: 'mistralai/mistral-common, tokenizers to v7; unarbos/arbos issue 278',
    isParallel: true,
    write: calls => `[TOOL_CALLS]${list(calls)}`,
    frame: MISTRAL,
  },
  mistral_args: {
    source: 'mistralai/mistral-common, tokenizers from v11; vllm-project/vllm mistral_tool_parser.py',
    ...each(({ name, args }) => `[TOOL_CALLS]${name}[ARGS]${json(args)}`, ''),
    frame: MISTRAL,
  },
  deepseek_v3: {
    source: 'deepseek-ai/DeepSeek-V3 tokenizer_config.json; vllm-project/vllm deepseekv3_tool_parser.py',
    isParallel: true,
    write: calls =>
      `<｜tool▁calls▁begin｜>${calls.map(({ name, args }) => `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${json(args)}\n\`\`\`<｜tool▁call▁end｜>`).join('\n')}<｜tool▁calls▁end｜>`,
    frame: DEEPSEEK,
  },
  deepseek_v31: {
    source: 'deepseek-ai/DeepSeek-V3.1 model card; vllm-project/vllm deepseekv31_tool_parser.py',
    isParallel: true,
    write: calls =>
      `<｜tool▁calls▁begin｜>${calls.map(({ name, args }) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${json(args)}<｜tool▁call▁end｜>`).join('')}<｜tool▁calls▁end｜>`,
    frame: DEEPSEEK,
  },
  deepseek_dsml: {
    source: 'deepseek-ai/DeepSeek-V3.2 encoding_dsv32.py; xorbitsai/xagent issue 806',
    isParallel: true,
    write: calls =>
      `<｜DSML｜function_calls>\n${calls
        .map(
          call =>
            `<｜DSML｜invoke name="${call.name}">\n${members(call, (key, value) => `<｜DSML｜parameter name="${key}" string="${typeof value === 'string'}">${bare(value)}</｜DSML｜parameter>`)}\n</｜DSML｜invoke>`,
        )
        .join('\n')}\n</｜DSML｜function_calls>`,
    frame: DEEPSEEK,
  },
  kimi_k2: {
    source: 'MoonshotAI/Kimi-K2 docs/tool_call_guidance.md',
    isParallel: true,
    write: calls =>
      `<|tool_calls_section_begin|>${calls.map(({ name, args }, at) => `<|tool_call_begin|>functions.${name}:${at}<|tool_call_argument_begin|>${json(args)}<|tool_call_end|>`).join('')}<|tool_calls_section_end|>`,
    frame: ['<|im_assistant|>assistant<|im_middle|>', '<|im_end|>'],
  },
  glm: {
    source: 'zai-org/GLM-4.5 chat_template.jinja; vllm-project/vllm glm4_moe_tool_parser.py',
    ...each(
      call =>
        `<tool_call>${call.name}\n${members(call, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${bare(value)}</arg_value>`)}\n</tool_call>`,
    ),
    frame: GLM,
  },
  minimax: {
    source: 'MiniMax-AI/MiniMax-M2 docs/tool_calling_guide.md',
    isParallel: true,
    write: calls =>
      `<minimax:tool_call>\n${calls.map(call => invoke(call)).join('\n')}\n</minimax:tool_call>`,
    frame: [']~b]ai\n', '[e~['],
  },
  granite: {
    source: 'ibm-granite/granite-3.3-8b-instruct chat template; vllm-project/vllm granite_tool_parser.py',
    isParallel: true,
    write: calls => `<|tool_call|>${list(calls)}`,
    frame: ['<|start_of_role|>assistant<|end_of_role|>', '<|end_of_text|>'],
  },
  phi: {
    source: 'microsoft/Phi-4-mini-instruct; vllm-project/vllm phi4mini_tool_parser.py',
    isParallel: true,
    write: calls => `functools${list(calls)}`,
    frame: ['<|assistant|>', '<|end|>'],
  },
  gemma: {
    source: 'ai.google.dev/gemma/docs/capabilities/function-calling',
    ...each(call => `\`\`\`tool_call\n${object(call)}\n\`\`\``),
    frame: ['<start_of_turn>model\n', '<end_of_turn>'],
  },
  harmony: {
    source: 'openai/harmony docs/format.md; vllm-project/vllm issue 35906; NVIDIA/TensorRT-LLM issue 9256',
    write: ([call]) =>
      `<|channel|>commentary to=functions.${call?.name} <|constrain|>json<|message|>${json(call?.args)}<|call|>`,
    frame: ['<|channel|>final<|message|>', '<|return|>'],
    reasoning: 'channel',
    isAlone: true,
  },
  invoke: {
    source: 'anthropics/claude-code issue 69258; docs.anthropic.com, tool use before the API had tools',
    isParallel: true,
    write: calls => `<function_calls>\n${calls.map(call => invoke(call)).join('\n')}\n</function_calls>`,
  },
  re_act: {
    source: 'ysymyth/ReAct; langchain-ai/langchain agents/output_parsers/react_single_input.py',
    write: ([call]) =>
      `Thought: The tool knows it.\nAction: ${call?.name}\nAction Input: ${json(call?.args)}`,
    isAlone: true,
  },
  json: {
    source: 'ollama/ollama issue 11185; jundot/omlx issue 2565',
    write: ([call]) => object(call!),
    frame: CHAT_ML,
    isAlone: true,
  },
  json_arguments_first: {
    source: 'unarbos/arbos issue 278: members in any order',
    write: ([call]) => json({ arguments: call?.args, name: call?.name }),
    frame: CHAT_ML,
    isAlone: true,
  },
  json_fenced: {
    source: 'ollama/ollama issue 13519',
    write: ([call]) => `\`\`\`json\n${object(call!)}\n\`\`\``,
    frame: CHAT_ML,
    isAlone: true,
  },
} satisfies Record<string, Template>

export type TemplateName = keyof typeof templates
export const templateNames = Object.keys(templates) as TemplateName[]
export const templateOf = (name: TemplateName): Template => templates[name]
