import type { Slots } from './phrase.ts'
import type { Found, Text } from './text.ts'

/** Ways to ask for a web search in so many words. */
export const searchRules: readonly string[] = [
  '[do|run|make|perform] [a] (web search|web_search|internet search|wikipedia search|google search) [for|on|about|:|to find|to find out about|and find] {query}',
  '(search|search the|look on the|browse the) (web|internet|online|wikipedia|google) [for|on|about|:|to find|and find] {query}',
  'search for {query}',
  'search on (wikipedia|google|the web|the internet) for {query}',
  'google {query}',
  '(look up|search) {query} (on|in|using) [the] (web|internet|wikipedia|google|web search|web_search)',
  '(look up|search|find) {query} online',
  '(find information about|find out about|find) {query} (on|in|using) [the] (web|internet|wikipedia|web search|web_search)',
  'look up [on the web|online|on wikipedia] {query}',
  '[use] [the] (web search|web_search) [tool] (to find|to look up|to search for|for) {query}',
]

const MOST_QUERY = 300
const END = /[?!;\n]|\.(?:\s|$)/y
const JOINT = /, *(?:and|then|also)\b|,|(?:and|then)\b/y
const ONLINE = /(?:on|in|using) (?:the )?(?:web|internet|wikipedia|google)\b|using web[_ ]search\b|online\b/y
/** A query about something that only this conversation holds is no search of the web. */
const HERE = /\b(?:this|these|following|above|below|attached|my|your)\b/
/** After a joint these ask for something to be done with what is found, which takes a language model. */
const TASK =
  /(?:,|\b(?:and|then|also)\b) *(?:please )?(?:tell|explain|summari[sz]e|write|give|list|compare|translate|describe|calculate|compute|convert|what|who|how|why|when|where|which|answer|use|show|say|make|create|add|subtract|multiply|divide|send|recommend|suggest|analy[sz]e|help|find|check|report|book|order|buy|email|save|open|read|sort|rank|count|pick|choose|return|build|draw|download)\b|\b(?:and|then) \w+ (?:it|them|me|us|an?|its|their)\b/

/** Reads what to search for: up to the end of the sentence, a joint, or the name of the web; the shortest first. */
function readQuery(text: Text, at: number): Found<string>[] {
  const start = text.skip(at)
  const ends: number[] = []
  for (let next = start; next <= start + MOST_QUERY && next <= text.plain.length; next++) {
    if (text.isSpent(2)) return []
    const isEnd = next === text.plain.length || matches(END, text, next)
    const isBreak = /[ ,]/.test(text.plain[next - 1] ?? '') || text.plain[next] === ','
    if (isEnd || (isBreak && (matches(JOINT, text, next) || matches(ONLINE, text, next)))) ends.push(next)
    if (isEnd) return ends.flatMap(end => query(text, start, end))
  }
  return []
}

function query(text: Text, start: number, end: number): Found<string>[] {
  const plain = text.plain.slice(start, end)
  // An opening quote is blank to the rules, so it stands before the start.
  const quoted = /["“`]/.test(text.typed[start - 1] ?? '') ? start - 1 : start
  const words = text.typed
    .slice(quoted, end)
    .trim()
    .replace(/^(["“`])([^"”`]*)["”`]$/, '$2')
  return words === '' || HERE.test(plain) || TASK.test(plain) ? [] : [{ end, value: words }]
}

function matches(pattern: RegExp, text: Text, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text.plain)
}

export const searchSlots: Slots = { query: readQuery }
