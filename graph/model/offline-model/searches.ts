import { oneOf } from './phrase.ts'

const WEB = '(web|internet|online|wikipedia|google)'
const ON_WEB = '(on|in|using) [the] (web|internet|wikipedia|google|web search|web_search)'
/** Explicit requests for a web search. */
const SEARCH = new RegExp(
  `^${oneOf([
    '[do|run|make|perform] [a] (web search|web_search|internet search|wikipedia search|google search) [for|on|about|:|to find|to find out about|and find] {query}',
    `(search|search the|look on the|browse the) ${WEB} [for|on|about|:|to find|and find] {query}`,
    'search on (wikipedia|google|the web|the internet) for {query}',
    '[use] [the] (web search|web_search) [tool] (to find|to look up|to search for|for) {query}',
    `(look up|search|find information about|find out about|find) {query} (${ON_WEB}|online)`,
    'look up [on the web|online|on wikipedia] {query}',
    'search for {query}',
    'google {query}',
  ])}$`,
  'i',
)
const MOST_QUERY = 300
const SENTENCE_END = /[?!;\n]|\.\s/
/** Queries about the conversation itself do not belong on the web. */
const HERE = /\b(?:this|these|following|above|below|attached|my|your)\b/i
/** After a conjunction these ask for work on the results, which takes a language model. */
const TASK =
  /(?:,|\b(?:and|then|also)\b) *(?:please )?(?:tell|explain|summari[sz]e|write|give|list|compare|translate|describe|calculate|compute|convert|what|who|how|why|when|where|which|answer|use|show|say|make|create|add|subtract|multiply|divide|send|recommend|suggest|analy[sz]e|help|find|check|report|book|order|buy|email|save|open|read|sort|rank|count|pick|choose|return|build|draw|download)\b|\b(?:and|then) \w+ (?:it|them|me|us|an?|its|their)\b/i

/** Reads the query of a web search. */
export function readSearch(text: string): string | undefined {
  const found = SEARCH.exec(text)
    ?.slice(1)
    .find(query => query !== undefined)
  const query = found?.trim().replace(/^(["“`])([^"”`]*)["”`]$/, '$2')
  const isOther = [SENTENCE_END, HERE, TASK].some(pattern => pattern.test(query ?? ''))
  return !query || query.length > MOST_QUERY || isOther ? undefined : query
}

/** The best passage of a `web_search` result, with its source; returns a result without passages verbatim. */
export function bestPassage(result: string): string {
  const found = /^\[(\d+)\] (.*) \((?:from the page|snippet only).*\)\n {3}• (.*(?:\n {5}.*)*)/m.exec(result)
  if (!found) return result
  const [, number, title, passage = ''] = found
  const address = new RegExp(`^\\[${number}\\] (https?://\\S+)$`, 'm').exec(result)?.[1]
  return `${passage.replace(/\n {5}/g, '\n')}\n(${[title, address].filter(Boolean).join(', ')})`
}
