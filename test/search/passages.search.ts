import { afterAll, expect, test } from 'vitest'
import { countTokens } from '../../graph/run/tokens.ts'
import { createWebSearch } from '../../tools/web-search.ts'
import { startSearxng } from './searxng.ts'
import { makeWeb, type Question } from './web.ts'
import { serveWeb } from './web-server.ts'

/** The first was looked at while the tool was made; nothing was tuned to the others. */
const SEEDS = [1, 20_261, 777, 4_242_424]
const WANTED_SHARE = 0.9
const MAX_TOKENS = 1_500

const report: object[] = []
afterAll(() => {
  for (const row of report) process.stdout.write(`${JSON.stringify(row)}\n`)
})

test.each(SEEDS)('seed %i: the answer is in what the model reads', async seed => {
  const web = makeWeb(seed)
  expect(web.pages.length).toBeGreaterThanOrEqual(300)
  expect(web.questions).toHaveLength(200)
  const served = await serveWeb(web)
  const searxng = await startSearxng(web, served)
  const tool = createWebSearch({
    engines: [{ provider: 'searxng', url: searxng.url }],
    ports: [served.port],
    privateHosts: served.hosts,
    maxTokens: MAX_TOKENS,
  })
  const missed: Question[] = []
  const tokens: number[] = []
  const snippetTokens: number[] = []
  let inSnippets = 0
  try {
    for (const question of web.questions) {
      const text = String(await tool.invoke({ query: question.query }))
      tokens.push(await countTokens(text))
      if (!folded(text).includes(folded(question.answer))) missed.push(question)
      const snippets = await titlesAndSnippets(searxng.url, question.query)
      snippetTokens.push(await countTokens(snippets))
      if (folded(snippets).includes(folded(question.answer))) inSnippets += 1
    }
  } finally {
    await searxng.close()
    served.close()
  }
  const share = 1 - missed.length / web.questions.length
  const mean = (numbers: number[]) => Math.round(numbers.reduce((sum, one) => sum + one, 0) / numbers.length)
  report.push({
    seed,
    pages: web.pages.length,
    share,
    'tokens, mean': mean(tokens),
    'tokens, most': Math.max(...tokens),
    'share by titles and snippets': inSnippets / web.questions.length,
    'their tokens, mean': mean(snippetTokens),
  })
  expect(Math.max(...tokens)).toBeLessThanOrEqual(MAX_TOKENS)
  expect(share, JSON.stringify(missed, null, 1)).toBeGreaterThanOrEqual(WANTED_SHARE)
})

function folded(text: string): string {
  return text.replace(/\s+/g, ' ').toLowerCase()
}

/** What a search tool without pages shows: five results with title, address and snippet. */
async function titlesAndSnippets(url: string, query: string): Promise<string> {
  const reply = await fetch(`${url}/search?q=${encodeURIComponent(query)}&format=json`)
  const { results } = (await reply.json()) as { results: { title: string; url: string; content: string }[] }
  return results
    .slice(0, 5)
    .map(({ title, url, content }) => `${title}\n${url}\n${content}`)
    .join('\n\n')
}
