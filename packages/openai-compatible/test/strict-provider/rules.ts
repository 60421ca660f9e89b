import type { Asked, AskedCall, AskedMessage } from '@agent-task-service/test-support/asked'
import { isObject } from '@agent-task-service/wire/untrusted'
import type { Objection, Rule } from './provider.ts'

const NEVER = { refusals: 0 } as const
const ONCE = { refusals: 1 } as const
const ONCE_A_RUN = { refusals: 1, per: 'run' } as const

const NAME = /^[a-zA-Z0-9_-]{1,64}$/

const callsIn = ({ messages }: Asked) => messages.flatMap(({ tool_calls: calls = [] }) => calls)
const idsIn = (asked: Asked) => callsIn(asked).map(({ id = '' }) => id)
const messageWith = (
  { messages }: Asked,
  isSo: (message: AskedMessage, at: number) => boolean,
  say: (at: number) => string,
): Objection | undefined => {
  const at = messages.findIndex(isSo)
  return at < 0 ? undefined : { message: say(at), param: `messages.${at}` }
}

export const names: Rule = {
  name: 'tool names of 1 to 64 letters, digits, `_` and `-`, in the history too',
  source:
    'openai/openai-openapi openapi.yaml, FunctionObject; AWS Bedrock ToolUseBlock; pydantic-ai issue 4585',
  costs: NEVER,
  objectionTo: asked =>
    messageWith(
      asked,
      ({ tool_calls: calls = [] }) => calls.some(({ function: { name } }) => !NAME.test(name)),
      at =>
        `Invalid 'messages[${at}].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    ),
}

export const uniqueIds: Rule = {
  name: 'an id for each call, each once in the conversation',
  source: 'docs.anthropic.com, tool use; NVIDIA-NeMo/Switchyard issue 502',
  costs: NEVER,
  objectionTo: asked => {
    const ids = idsIn(asked)
    return new Set(ids).size < ids.length || ids.includes('')
      ? { message: 'messages.3.content.0: `tool_use` ids must be unique' }
      : undefined
  },
}

/** Ids of another model's calls; a provider takes its own as it made them. */
export const plainIds: Rule = {
  name: 'ids of at most 40 letters, digits, `_` and `-`, but for its own',
  source: 'BerriAI/litellm issue 41534; vercel/ai issue 5171; AWS Bedrock ToolUseBlock toolUseId',
  costs: NEVER,
  objectionTo: (asked, wordsOf) => {
    const id = idsIn(asked).find(id => !wordsOf(id) && !/^[a-zA-Z0-9_-]{1,40}$/.test(id))
    return id === undefined
      ? undefined
      : {
          message: `Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
        }
  },
}

export const nineLetters: Rule = {
  name: 'ids of nine letters and digits',
  source: 'mistralai/mistral-common validator.py',
  costs: ONCE,
  objectionTo: asked => {
    const id = idsIn(asked).find(id => !/^[a-zA-Z0-9]{9}$/.test(id))
    return id === undefined
      ? undefined
      : {
          message: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
          code: '3280',
        }
  },
}

export const wellFormed: Rule = {
  name: 'well-formed Unicode',
  source: 'anthropics/claude-code issue 3277; elizaOS/eliza issue 18079; RFC 8259, 8.2',
  costs: NEVER,
  objectionTo: asked => {
    const written = callsIn(asked).map(({ function: { arguments: args } }) => parsed(args))
    return isWellFormed([asked, written])
      ? undefined
      : { message: 'The request body is not valid JSON: no low surrogate in string: line 1 column 98' }
  },
}

/** Arguments that are no JSON are another rule's. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  return typeof value !== 'object' || value === null || Object.values(value).every(isWellFormed)
}

export const noEmptyText: Rule = {
  name: 'no empty text, least of all in a tool result',
  source: 'zed-industries/zed issue 27130; livekit/agents issue 1789; AWS Bedrock ContentBlock',
  costs: NEVER,
  objectionTo: asked =>
    messageWith(
      asked,
      ({ role, content, tool_calls: calls = [] }) =>
        isEmpty(content) && !(role === 'assistant' && calls.length > 0),
      at => `messages.${at}: text content blocks must be non-empty`,
    ),
}

function isEmpty(content: unknown): boolean {
  if (!Array.isArray(content)) return String(content ?? '').trim() === ''
  return content.some(part => part.type === 'text' && part.text.trim() === '')
}

export const pairs: Rule = {
  name: 'a result for each call, a call for each result',
  source: 'openai/openai-openapi openapi.yaml; mistralai/mistral-common validator.py',
  costs: NEVER,
  objectionTo: ({ messages }) => {
    let open: readonly string[] = []
    for (const [at, message] of messages.entries()) {
      const isResult = message.role === 'tool'
      const objection = isResult ? objectionToResult(message, open) : objectionToTurn(message, open)
      if (objection) return { message: objection, param: `messages.${at}` }
      const { tool_calls: calls = [] } = message
      open = isResult ? open.filter(id => id !== message.tool_call_id) : calls.map(({ id = '' }) => id)
    }
    return open.length > 0 ? { message: `tool_call_ids without a response: ${open}` } : undefined
  },
}

function objectionToResult({ content, tool_call_id: id = '' }: AskedMessage, open: readonly string[]) {
  if (!open.includes(id)) return `tool_call_id ${id} not found in a preceding turn`
  return typeof content === 'string' ? undefined : 'the content of a tool message is a string'
}

function objectionToTurn({ tool_calls: calls = [] }: AskedMessage, open: readonly string[]) {
  if (open.length > 0) return `tool_call_ids without a response: ${open}`
  const isJson = calls.every(({ function: { arguments: args } }) => isObject(parsed(args)))
  return isJson ? undefined : 'arguments are JSON in a string'
}

export const choiceWithTools: Rule = {
  name: 'no `tool_choice` without tools',
  source: 'vllm-project/vllm vllm/entrypoints/openai/protocol.py',
  costs: NEVER,
  objectionTo: ({ tools, tool_choice: choice }) =>
    choice !== undefined && tools === undefined
      ? { message: 'When using `tool_choice`, `tools` must be set.' }
      : undefined,
}

export const toolsWithResults: Rule = {
  name: 'tools, if there are results of tools',
  source: 'onyx-dot-app/onyx issue 7842; vercel/ai issue 7528; AWS Bedrock Converse, toolConfig',
  costs: NEVER,
  objectionTo: ({ messages, tools = [] }) =>
    tools.length === 0 && messages.some(({ role }) => role === 'tool')
      ? { message: 'Requests which include `tool_use` or `tool_result` blocks must define tools' }
      : undefined,
}

export const systemFirst: Rule = {
  name: 'the system message first',
  source: 'vllm-project/vllm issue 41114; ggml-org/llama.cpp issue 27367',
  costs: NEVER,
  objectionTo: asked =>
    messageWith(
      asked,
      ({ role }, at) => role === 'system' && at > 0,
      () => 'System message must be at the beginning.',
    ),
}

export const noUserBehindResults: Rule = {
  name: 'a turn of the model between results and the next message of the user',
  source: 'NousResearch/hermes-agent issue 20154; aliou/pi-neuralwatt issue 12',
  costs: NEVER,
  objectionTo: asked =>
    messageWith(
      asked,
      ({ role }, at) => role === 'user' && asked.messages[at - 1]?.role === 'tool',
      () => "Unexpected role 'user' after role 'tool'",
    ),
}

export const noPrefill: Rule = {
  name: 'no turn of the assistant at the end',
  source: 'huggingface/smolagents issue 757; mistralai/mistral-common validator.py',
  costs: NEVER,
  objectionTo: ({ messages }) =>
    messages.at(-1)?.role === 'assistant'
      ? {
          message:
            'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
        }
      : undefined,
}

const MEMBERS = 'model messages tools tool_choice stream stream_options temperature stop max_tokens'.split(
  ' ',
)
const OF_MESSAGES = 'role content tool_call_id tool_calls'.split(' ')
const OF_CALLS = 'id type function'.split(' ')

/** @param own members that this provider adds to its turns or calls, or takes in the body */
export function knownMembers(own: readonly string[] = []): Rule {
  const foreign = (value: object, known: readonly string[]) =>
    Object.keys(value).find(name => !known.includes(name) && !own.includes(name))
  return {
    name: 'members that it knows, and none of other providers',
    source:
      'mistralai/client-python, extra_forbidden; ai.google.dev/gemini-api/docs/openai; groq API reference',
    costs: NEVER,
    objectionTo: asked => {
      const member =
        foreign(asked, [...MEMBERS, 'max_completion_tokens']) ??
        asked.messages.map(message => foreign(message, OF_MESSAGES)).find(Boolean) ??
        callsIn(asked)
          .map(call => foreign(call, OF_CALLS))
          .find(Boolean)
      return member ? unknown(member) : undefined
    },
  }
}

const unknown = (member: string): Objection => ({
  message: `Extra inputs are not permitted: ${member}`,
  param: member,
  code: 'unknown_parameter',
})

function without(member: string, source: string, objection: Objection): Rule {
  return {
    name: `no \`${member}\``,
    source,
    costs: ONCE,
    objectionTo: asked => (asked[member] === undefined ? undefined : objection),
  }
}

/** What only a setting can put into the body. */
export function neededMember(member: string, source: string): Rule {
  return {
    name: `\`${member}\`, if it is set`,
    source,
    costs: NEVER,
    objectionTo: asked => (asked[member] === undefined ? { message: `${member} did not come` } : undefined),
  }
}

export const noStreamOptions = without(
  'stream_options',
  'mistralai/client-python; Azure/azure-rest-api-specs cognitiveservices inference',
  unknown('stream_options'),
)
export const noTemperature = without('temperature', 'platform.openai.com/docs/guides/reasoning', {
  message: "Unsupported parameter: 'temperature' is not supported with this model.",
  param: 'temperature',
  code: 'unsupported_parameter',
})
export const onlyNewCap = without(
  'max_tokens',
  'anomalyco/opencode issue 37964; teilomillet/gollm issue 33',
  {
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    param: 'max_tokens',
    code: 'unsupported_parameter',
  },
)
export const onlyOldCap = without(
  'max_completion_tokens',
  'vllm-project/vllm issue 10078; voideditor/void issue 128',
  unknown('max_completion_tokens'),
)

export const noChoiceOfNone: Rule = {
  name: 'no `tool_choice: "none"`',
  source: 'boto/boto3 issue 4687; BerriAI/litellm issue 37980',
  costs: ONCE_A_RUN,
  objectionTo: ({ tool_choice: choice }) =>
    choice === 'none'
      ? {
          message:
            "Bedrock doesn't support tool_choice=none. Supported tool_choice values=['auto', 'required', json object].",
          param: 'tool_choice',
        }
      : undefined,
}

export const LARGEST_CAP = 8192

/** @param say the provider's words for it */
export function capAtMost(source: string, say: (cap: number) => string): Rule {
  return {
    name: 'a cap on tokens that the model can generate',
    source,
    costs: ONCE_A_RUN,
    objectionTo: asked => {
      const cap = Number(asked.max_output_tokens ?? asked.max_completion_tokens ?? asked.max_tokens ?? 0)
      return cap > LARGEST_CAP ? { message: say(cap), param: 'max_tokens', code: 'invalid_value' } : undefined
    },
  }
}

const WAYS = {
  name: '(the refusal names the tool)',
  number: '(the refusal gives its number)',
  silently: '(the refusal does not say which)',
}

/** Whether it refuses tools for their schemas. */
export const isOfSchemas = ({ name }: Rule): boolean => name.startsWith(PLAIN_SCHEMAS)

const PLAIN_SCHEMAS = 'no schema of a tool with'

/** How a provider says which tool's schema it refuses; `silently`: not at all. */
export function plainSchemas(
  how: 'name' | 'number' | 'silently',
  source: string,
  say: (at: number, name: string) => string,
): Rule {
  return {
    name: `${PLAIN_SCHEMAS} \`$ref\` or \`const\` ${WAYS[how]}`,
    source,
    // Without a word: with the system message elsewhere first.
    costs: how === 'silently' ? { refusals: 2, per: 'run' } : ONCE,
    objectionTo: ({ tools = [] }) => {
      const at = tools.findIndex(tool => /"(?:\$ref|const)":/.test(JSON.stringify(tool)))
      const name = tools[at]?.function.name ?? ''
      return at < 0 ? undefined : { message: say(at, name), ...(how === 'name' && { param: `tools[${at}]` }) }
    },
  }
}

/**
 * Turns with calls come back with what the provider added to them.
 *
 * @param member of the turn, or of its first call
 * @param isInStead what it takes in a turn of another model, which it refuses once; absent: it needs nothing there
 */
export function keptMember(
  member: string,
  source: string,
  say: (at: number) => string,
  isInStead?: (value: unknown) => boolean,
): Rule {
  return {
    name: `\`${member}\` with each turn that it came with`,
    source,
    costs: isInStead ? ONCE : NEVER,
    objectionTo: (asked, wordsOf) => {
      const isKept = (turn: AskedMessage, [call]: readonly AskedCall[]) => {
        const [words, value] = [wordsOf(call?.id ?? ''), call?.[member] ?? turn[member]]
        if (!words) return isInStead?.(value) ?? true
        return JSON.stringify(value) === JSON.stringify(words[member])
      }
      return messageWith(asked, turn => turn.tool_calls !== undefined && !isKept(turn, turn.tool_calls), say)
    },
  }
}
