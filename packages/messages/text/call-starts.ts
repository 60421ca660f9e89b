import type { OfferedTools } from '../offered-tools.ts'
import { isCallMember } from './json-calls.ts'
import { HEADERS, type Mark, markAt, mayBecomeMark } from './marks.ts'

/** Whether a call begins; `perhaps`: more must come before it is clear. */
type Likeness = 'yes' | 'no' | 'perhaps'

/** Tokens that begin a message, or in which a family wraps its marks. */
const TOKENS = [...HEADERS, '<|message_sep|>', ']<]', '[e~[']
const LINES = ['Action:', '**Action:', 'functools[']
const MEMBER = /^[[{\s]*["']([\w.-]*)(["']?)/
const LISTED = /^\[\s*([\w.-]+)\s*(\(?)/

/**
 * Whether a call, or the end of the turn, may begin here, within an answer.
 *
 * @param head the text from here on, in ASCII marks
 * @param mark with which it begins, if it does
 */
export function mayBeginCall(head: string, mark: Mark | undefined, tools: OfferedTools): Likeness {
  if (mark) return isHeld(mark, tools) ? 'yes' : 'no'
  if (TOKENS.some(token => head.startsWith(token))) return 'yes'
  if (TOKENS.some(token => token.startsWith(head))) return 'perhaps'
  if (head.startsWith('\n')) return beginsLine(head.trimStart())
  if (head.startsWith('`')) return inFence(head, tools)
  const bare = head.startsWith('<') ? 'no' : beginsBare(head, tools)
  return bare === 'no' && mayBecomeMark(head) ? 'perhaps' : bare
}

function isHeld({ kind, isToken, isClosing, word }: Mark, tools: OfferedTools): boolean {
  if (kind === 'turn' || (kind === 'thought' && word === 'channel')) return true
  if (kind === 'answer') return isToken && (isClosing || word === 'box')
  return tools.names.length > 0 && (kind === 'call' || (kind === 'result' && isToken))
}

function beginsLine(line: string): Likeness {
  if (LINES.some(start => line.startsWith(start))) return 'yes'
  return LINES.some(start => start.startsWith(line)) ? 'perhaps' : 'no'
}

/** JSON with a call's members, or `[calculator(…)]`. */
function beginsBare(head: string, tools: OfferedTools): Likeness {
  if (tools.names.length === 0) return 'no'
  if (/^[[{\s]+$/.test(head)) return 'perhaps'
  const [, member, quote] = MEMBER.exec(head) ?? []
  if (member !== undefined)
    return likenessOf(quote !== '', /["'][\w.-]*$/.test(head), isCallMember(member) || tools.find(member))
  const [listed = '', name = '', bracket] = LISTED.exec(head) ?? []
  return likenessOf(bracket === '(', listed !== '' && listed.length === head.length, tools.find(name))
}

/** @param isWhole whether the name has come; @param mayGoOn whether the rest of it may */
function likenessOf(isWhole: boolean, mayGoOn: boolean, isCall: unknown): Likeness {
  if (isWhole) return isCall ? 'yes' : 'no'
  return mayGoOn ? 'perhaps' : 'no'
}

function inFence(head: string, tools: OfferedTools): Likeness {
  if (/^`{1,2}$/.test(head)) return 'perhaps'
  const [fence] = /^`{3,}[\w-]*\s*/.exec(head) ?? []
  if (fence === undefined || tools.names.length === 0) return 'no'
  if (/^`{3,}tool_c/.test(fence)) return 'yes'
  const inside = head.slice(fence.length)
  return inside === '' ? 'perhaps' : beginsLikeCall(inside, tools)
}

/** The first words of a reply that may be nothing but a call: what Python or a template has before its name, then a name. */
const FIRST =
  /^(?:>{1,3})?(?:tool_code\s*=\s*)?(?:print\s*\(\s*)?(?:call:)?(?:(?:functions?|default_api|tools?)[.:])?([\p{L}_][\p{L}\p{N}_:-]*)?/u
const FIRST_WORDS = ['tool_code', 'print', 'call', 'functions', 'default_api', 'tools']
const CHANNELS = /^(?:(?:assistant)?analysis[A-Za-z]|assistantfinal|(?:commentary )?to=)/
const CHANNEL_WORDS = ['assistantanalysis', 'assistantfinal', 'analysis', 'commentary to=', 'to=']

/**
 * Whether the answer that begins like this may be nothing but a call of a tool, without any mark.
 *
 * @param head without white space before it, in ASCII marks
 */
export function beginsLikeCall(head: string, tools: OfferedTools): Likeness {
  const begun = mayBeginCall(head, markAt(head, 0), tools)
  if (begun !== 'no') return begun
  const line = CHANNELS.test(head) ? 'yes' : beginsLine(head)
  if (line !== 'no') return line
  if (CHANNEL_WORDS.some(word => word.startsWith(head))) return 'perhaps'
  return tools.names.length === 0 ? 'no' : beginsName(head, tools)
}

/** The name of a tool before its arguments, or as an element. */
function beginsName(head: string, tools: OfferedTools): Likeness {
  const [, element] = /^<([\w-]+)>/.exec(head) ?? []
  if (element !== undefined) return tools.find(element) ? 'yes' : 'no'
  if (mayBecomeName(head, tools)) return 'perhaps'
  const [words = '', name] = FIRST.exec(head) ?? []
  const rest = head.slice(words.length)
  return /^\s*[({[<]/.test(rest) && name !== undefined && tools.find(name) ? 'yes' : 'no'
}

/** Whether a text is the beginning of a tool's name, with what a template has before it. */
export function mayBecomeName(text: string, tools: OfferedTools): boolean {
  const [words = '', name] = FIRST.exec(text) ?? []
  if (text.slice(words.length).trim() !== '') return false
  const bare = name?.replace(/:\d*$/, '') ?? ''
  return bare === '' || FIRST_WORDS.some(word => word.startsWith(bare)) || tools.anyResembles(bare)
}
