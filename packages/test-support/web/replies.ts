/** Replies in the shape each engine documents, shortened to what a test needs. */

/** `action=query&generator=search&prop=extracts|info&formatversion=2` */
export const wikipediaReply = {
  batchcomplete: true,
  continue: { gsroffset: 2, continue: 'gsroffset||' },
  query: {
    // In page order, not in the order of relevance, which `index` gives.
    pages: [
      {
        title: 'Vieux Lyon',
        index: 2,
        extract: 'Vieux Lyon is the largest Renaissance district of Lyon.',
        fullurl: 'https://en.wikipedia.org/wiki/Vieux_Lyon',
      },
      {
        title: 'Lyon',
        index: 1,
        extract: 'Lyon is a city in France.\nIt lies on the Rhône.',
        fullurl: 'https://en.wikipedia.org/wiki/Lyon',
      },
    ],
  },
}

/** As searx 1.1.0 and SearXNG send it. */
export const searxngReply = {
  query: 'rhine length',
  results: [
    {
      url: 'https://example.org/rhine',
      title: 'The Rhine',
      content: 'The Rhine is about 1,230 km long.',
    },
    { url: 'https://example.org/no-content', title: 'Bare', engine: 'bing', content: null },
  ],
  unresponsive_engines: [['google', 'CAPTCHA']],
}

export const tavilyReply = {
  query: 'who is Leo Messi?',
  results: [
    {
      title: 'Lionel Messi Facts | Britannica',
      url: 'https://www.britannica.com/facts/Lionel-Messi',
      content: 'Lionel Messi, an Argentine footballer.\n\n## Early life\nBorn 24 June 1987.',
      raw_content: null,
    },
  ],
}

export const braveReply = {
  grounding: {
    generic: [
      {
        url: 'https://search.brave.com/',
        title: 'Brave Search &amp; privacy',
        snippets: [
          'Brave: the search engine that <strong>doesn&#x27;t</strong> track you.',
          'Search without being followed.',
        ],
      },
    ],
  },
  sources: {
    'https://search.brave.com/': {
      age: ['Monday, January 15, 2024', '2024-01-15', '380 days ago'],
    },
  },
}
