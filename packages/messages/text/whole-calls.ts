import { argumentsFrom, fits } from '../arguments.ts'
import type { OfferedTools } from '../offered-tools.ts'
import {
  CALL_MEMBERS,
  callOf,
  childrenIn,
  jsonCalls,
  keyedCalls,
  literalCalls,
  namedCalls,
  unfenced,
  type WrittenCall,
} from './call-bodies.ts'
import { rangesOfJson } from './ranges-of-json.ts'
import { TEMPLATES } from './templates.ts'

/** How an answer begins that may be nothing but a call: a fence, brackets, then a name of a member or of a tool. */
const FENCE = '(?:`{3}[\\w-]*\\s*)?'
/** What is left behind a name of a template whose tokens were dropped: Kimi's number, Mistral's token. */
const DROPPED = '(?::\\d+)?(?:\\[[A-Z_]+\\]\\w*)*'
const MEMBER = new RegExp(`^${FENCE}[\\[{\\s]*["']([\\w.-]+)["']`)
const CALLED = new RegExp(
  `^(?:>{3})?${FENCE}[\\[\\s]*(?:print\\()?([\\w.-]+)${DROPPED}\\s*(?:[({]|<arg_key>)`,
)
const TAG = /^<([\w-]+)>/
const OTHER =
  /^(?:(?:\*\*)?(?:Thought|Action):|(?:commentary )?to=|(?:assistant)?analysis[A-Za-z]|assistantfinal)/
/** How nearly all answers begin, so that no more is asked: one word, then another. */
const PROSE = /^(?!assistant|analysis|commentary)[\p{L}\d.-]+,? \p{L}/u
/** The same, while it has not come whole. */
const BRACKETS = /^(?:`{1,3}[\w-]*\s*)?[[{\s]*(?:["'][\w.-]*)?$/
const WORD = new RegExp(
  `^(?:<|>{1,3})?${FENCE}[\\[\\s]*(?:print\\()?([\\w.-]*)${DROPPED}(?::|\\[[A-Z_]*|\\s*<[a-z_]*)?\\s*$`,
)
const OTHERS = [
  'Thought:',
  'Action:',
  '**Thought:',
  '**Action:',
  'commentary to=',
  'to=',
  'assistantanalysis',
  'assistantfinal',
  'analysis',
  'print(',
  '>>>',
  'functions.',
  'default_api.',
]

/**
 * Whether the answer that begins like this may be nothing but a call of a tool, without any token of a template.
 *
 * @param start without white space before it
 */
export function beginsLikeCall(start: string, tools: OfferedTools): Likeness {
  return PROSE.test(start) ? 'no' : likenessOf(start, tools)
}

type Likeness = 'yes' | 'no' | 'perhaps'

function likenessOf(start: string, tools: OfferedTools): Likeness {
  if (OTHER.test(start)) return 'yes'
  if (OTHERS.some(other => other.startsWith(start))) return 'perhaps'
  if (tools.names.length === 0) return 'no'
  const [, member] = MEMBER.exec(start) ?? []
  if (member !== undefined) return CALL_MEMBERS.has(member) || tools.find(member) ? 'yes' : 'no'
  const [, called] = CALLED.exec(start) ?? TAG.exec(start) ?? []
  if (called !== undefined && tools.find(called)) return 'yes'
  const [, word] = WORD.exec(start) ?? []
  const isWord = word && tools.anyBeginsWith(word.slice(word.lastIndexOf('.') + 1))
  return BRACKETS.test(start) || isWord ? 'perhaps' : inFence(start)
}

/** The same for a template in a fence. */
function inFence(start: string): Likeness {
  const inside = start.replace(/^`{3}[\w-]*\s*/, '')
  if (inside === start) return 'no'
  if (TEMPLATES.some(({ opens }) => inside.startsWith(opens))) return 'yes'
  return TEMPLATES.some(({ opens }) => opens.startsWith(inside)) ? 'perhaps' : 'no'
}

/** A name and arguments, with what is left of a template between them. */
const NAMED = new RegExp(`^(?:>{3}|commentary )?[\\w.=-]+${DROPPED}(?: \\w+)?\\s*\\{`)

/** The calls that an answer is made of, at least one of an offered tool. */
export function wholeCalls(answer: string, tools: OfferedTools): readonly WrittenCall[] | undefined {
  const text = answer.trim()
  const named = NAMED.test(text) && text.endsWith('}') ? namedCalls(text, tools) : undefined
  const keyed =
    /^[\w.:-]+\s*<arg_key>/.test(text) && !text.includes('<tool_call>') ? keyedCalls(text, tools) : undefined
  const calls = jsonCalls(text, tools) ?? keyed
  if (calls?.some(({ name }) => tools.find(name))) return calls
  const bare = named ?? literalCalls(text, tools) ?? tagOfTool(unfenced(text), tools)
  // Much else begins with a word that is the name of a tool.
  return bare?.every(call => fitsTool(call, tools)) ? bare : undefined
}

function fitsTool({ name, args }: WrittenCall, tools: OfferedTools): boolean {
  const tool = tools.find(name)
  return tool !== undefined && fits(argumentsFrom(args, tool) ?? {}, tool.schema)
}

/** `<calculator><expression>6*7</expression></calculator>` */
function tagOfTool(text: string, tools: OfferedTools): readonly WrittenCall[] | undefined {
  const name = TAG.exec(text)?.[1] ?? ''
  if (!tools.find(name) || !text.endsWith(`</${name}>`)) return undefined
  return [callOf(name, childrenIn(text.slice(name.length + 2, -(name.length + 3))), tools)]
}

const NAME = /["'](?:name|function|tool|tool_name|action)["']\s*:/
/** With one, it is the definition of a tool. */
const DESCRIPTION = /["']description["']\s*:/
const ARGUMENTS = /["'](?:arguments|parameters|args|action_input|tool_input)["']\s*:/

/** Whether an answer is nothing but JSON with the members of a call, whole or not. */
export function looksLikeJsonCall(answer: string): boolean {
  const text = unfenced(answer)
  const [first] = rangesOfJson(text)
  const isAlone = first?.start === 0 && (first.end === undefined || text.slice(first.end).trim() === '')
  return isAlone && NAME.test(text) && ARGUMENTS.test(text) && !DESCRIPTION.test(text)
}
