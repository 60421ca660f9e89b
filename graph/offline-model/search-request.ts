const REQUESTS: readonly RegExp[] = [
  /^(?:do |run |make )?(?:an? )?(?:web|internet|online|wikipedia|google) ?search(?: for| on| about|:)?\s+(.+)$/i,
  /^search(?: (?:the )?(?:web|internet|wikipedia|online))?(?: for| on| about|:)?\s+(.+)$/i,
  /^(?:look up|google|find out about|find information (?:on|about)|look for)\s+(.+?)(?: (?:on|in) (?:the )?(?:web|internet|wikipedia|google)| online)?$/i,
  /^(?:use )?web_search(?: for|:|\s+to find(?: out about)?)?\s+(.+)$/i,
  /^find\s+(.+?) (?:on|in) (?:the )?(?:web|internet|wikipedia)$/i,
]

/** What to search the web for, where the question asks for a search in so many words. */
export function readSearchRequest(question: string): string | undefined {
  for (const pattern of REQUESTS) {
    const query = pattern
      .exec(question)?.[1]
      ?.replace(/^["'“”]+|["'“”]+$/g, '')
      .trim()
    if (query) return query
  }
  return undefined
}
