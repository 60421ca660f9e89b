import { nameOf } from '@agent-task-service/messages/offered-tools'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { IsEchoed } from '../failures/echoes.ts'

/** A refusal of a tool speaks of one, whatever its provider calls it. */
const OF_TOOLS = /tool|function|schema|declaration|parameter/i
/** Such a name stands in a sentence only if a tool is meant. */
const IDENTIFIER = /[\d_-]|[a-z][A-Z]/
/** What stands before the name of a tool that is a word like any other. */
const NAMING = String.raw`(?:["'\`]|\b(?:tools?|functions?|declarations?)[\s.:=[("'\`]{1,3})`
/** A place in the list: `tools[3]`, `tools.3.custom`, `body -> tools -> 3`, `"tools",3` and `/tools/3`. */
const PLACE = /\b(function_?declarations|tools|functions)\b["'`\]]*(?:\[| -> |["'`],\s*|[./])(\d+)\b/gi

/**
 * The tools that a refusal speaks of: by their names, else by their numbers in the list. What it may have quoted does not count.
 *
 * @param tools as they were sent
 */
export function toolsNamedIn(
  words: string,
  tools: readonly BindToolsInput[],
  isEchoed: IsEchoed,
): readonly BindToolsInput[] {
  if (!OF_TOOLS.test(words)) return []
  const named = tools.filter(tool => isNamed(tool, words) && !isEchoed(nameOf(tool)))
  // Who names all of them repeats the request.
  if (named.length > 0 && (named.length < tools.length || tools.length === 1)) return named
  const places = [...words.matchAll(PLACE)].filter(([text]) => !isEchoed(text))
  // Google wraps all tools in one, so that its place tells nothing.
  const inner = places.filter(([, list = '']) => /declarations/i.test(list))
  const numbers = (inner.length > 0 ? inner : places).map(([, , number]) => Number(number))
  return tools.filter((_, index) => numbers.includes(index))
}

/** Whether the words have the tool's name, not as a word of another meaning. */
function isNamed(tool: BindToolsInput, words: string): boolean {
  const name = nameOf(tool)
  if (!/^[\w-]+$/.test(name) || !words.includes(name)) return false
  const before = IDENTIFIER.test(name) ? '' : NAMING
  return new RegExp(`${before}(?<![\\w-])${name}(?![\\w-])`).test(words)
}
