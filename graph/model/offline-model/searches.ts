import { oneOf } from './phrase.ts'

/** Explicit requests for a web search. */
const SEARCH = new RegExp(
  `^${oneOf([
    '(search|search the) (web|internet|online|wikipedia) [for|on|about|:] {query}',
    '[do|run] [a] (web search|web_search|wikipedia search) [for|on|about|:] {query}',
    'use [the] (web search|web_search) [tool] (to find|to look up|to search for|for) {query}',
    '(look up|search for|search|find information about|find) {query} (on|in) [the] (web|internet|wikipedia)',
    '(look up|search for|google) {query}',
  ])}$`,
  'i',
)
const MOST_QUERY = 300
/** The conversation itself is not on the web, and work on the results takes a language model. */
const OTHER =
  /[?!;\n]|\.\s|\b(?:this|these|following|above|below|attached|my|your)\b|(?:,|\b(?:and|then|also)\b) *(?:please )?(?:the|tell|explain|summari[sz]e|write|give|list|compare|translate|describe|calculate|compute|convert|what|who|how|why|when|where|which|use|show|say|add|multiply|recommend|analy[sz]e|check|book|order|buy|send|save)\b/i

/** Reads the query of a web search. */
export function readSearch(text: string): string | undefined {
  const found = SEARCH.exec(text)?.slice(1)
  const query = found
    ?.find(words => words !== undefined)
    ?.trim()
    .replace(/^(["“`])([^"”`]*)["”`]$/, '$2')
  return !query || query.length > MOST_QUERY || OTHER.test(query) ? undefined : query
}
