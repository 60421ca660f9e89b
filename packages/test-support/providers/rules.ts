import type { AskedMessage, Refusal, Rule } from './provider.ts'

type Refuse = (message: string, param: string) => Refusal

/** What every server of the protocol requires: calls and results belong together, arguments are JSON in a string. */
export function pairedCalls(refuse: Refuse): Rule {
  return ({ messages }) => {
    let open: readonly string[] = []
    for (const [at, message] of messages.entries()) {
      const isResult = message.role === 'tool'
      const objection = isResult ? objectionToResult(message, open) : objectionToTurn(message, open)
      if (objection) return refuse(objection, `messages.${at}`)
      open = isResult ? open.filter(id => id !== (message.tool_call_id ?? '')) : callIdsIn(message)
    }
    return open.length > 0 ? refuse(`tool_call_ids without a response: ${open}`, 'messages') : undefined
  }
}

function objectionToResult({ content, tool_call_id: id = '' }: AskedMessage, open: readonly string[]) {
  if (!open.includes(id)) return `tool_call_id ${id} not found in a preceding turn`
  return typeof content === 'string' ? undefined : 'the content of a tool message is a string'
}

function objectionToTurn({ tool_calls: calls = [] }: AskedMessage, open: readonly string[]) {
  if (open.length > 0) return `tool_call_ids without a response: ${open}`
  const isJson = calls.every(
    ({ function: { arguments: args } }) => typeof args === 'string' && isObject(args),
  )
  return isJson ? undefined : 'arguments are JSON in a string'
}

function callIdsIn({ tool_calls: calls = [] }: AskedMessage): string[] {
  return calls.map(({ id = '' }) => id)
}

/** Refuses tool results in a request that names no tools. */
export function toolsWithResults(refusal: Refusal): Rule {
  return ({ messages, tools = [] }) =>
    tools.length === 0 && messages.some(({ role }) => role === 'tool') ? refusal : undefined
}

const MEMBERS = ['model', 'messages', 'tools', 'tool_choice', 'stream', 'temperature', 'stop']
const MESSAGE_MEMBERS = ['role', 'content', 'tool_call_id', 'tool_calls']
const CALL_MEMBERS = ['id', 'type', 'function']

/** Refuses members unknown to the provider: in the body, in a message, in a call. */
export function onlyMembers(
  refuse: Refuse,
  more: {
    readonly body?: readonly string[]
    readonly message?: readonly string[]
    readonly call?: readonly string[]
  },
): Rule {
  const foreign = (value: object, known: readonly string[], others: readonly string[] = []) =>
    Object.keys(value).find(name => !known.includes(name) && !others.includes(name))
  return asked => {
    const member = foreign(asked, MEMBERS, more.body)
    if (member) return refuse(member, member)
    for (const [at, message] of asked.messages.entries()) {
      const name = foreign(message, MESSAGE_MEMBERS, more.message)
      if (name) return refuse(name, `messages[${at}].${name}`)
      for (const call of message.tool_calls ?? []) {
        const name = foreign(call, CALL_MEMBERS, more.call)
        if (name) return refuse(name, `messages[${at}].tool_calls.${name}`)
      }
    }
    return undefined
  }
}

/** Refuses a turn with calls that lacks what the provider added to it. */
export function keptWords(
  refuse: (at: number) => Refusal,
  isKept: (turn: AskedMessage, number: number) => boolean,
): Rule {
  return ({ messages }) => {
    const turns = messages.filter(({ role }) => role === 'assistant')
    const lost = turns.findIndex((turn, index) => turn.tool_calls && !isKept(turn, index + 1))
    return lost < 0 ? undefined : refuse(messages.indexOf(turns[lost]!))
  }
}

function isObject(text: string): boolean {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
