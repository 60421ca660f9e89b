import { withTimeLimit } from '@agent-task-service/engine/time-limit'
import { type Source, ToolError } from '@agent-task-service/engine/tool'
import { type CallConfig, taskTexts } from '../call-config.ts'
import { MAX_RESULTS, type SearchEngine, type SearchResult } from './engine.ts'
import { fetchPage, type PageContent, type PageRules, rulesBehind } from './fetch-page.ts'
import { isPrivate, PageError } from './outside.ts'
import { PageText } from './passages.ts'
import { plainLine } from './plain-text.ts'
import { expectTame, inReader, warmUpReader } from './reader.ts'
import { ChosenText, headOf, menusOf, quotedQuery, wordedSnippets } from './result-text.ts'
import { type RunPage, RunPages } from './run-pages.ts'

/** Time limit for fetching one page, in milliseconds. */
const PAGE_LIMIT_MS = 4_000
/** Time reserved for choosing among the passages read, in milliseconds. */
const CHOOSING_MS = 500

interface SearchOptions {
  readonly engines: readonly SearchEngine[]
  readonly rules: PageRules
  readonly maxTokens: number
  readonly timeLimitMs: number
}

/** One call of the tool. */
interface SearchCall extends SearchOptions {
  /** Those of the run. */
  readonly pages: RunPages
  readonly query: string
  readonly signal: AbortSignal
  /** When the time is up, by `performance.now()`. */
  readonly endsAt: number
}

/** The tool's result: the text the model reads, and its sources as data. */
type SearchOutput = [text: string, artifact: { readonly sources: readonly Source[] }]

/**
 * Searches, or returns more of a page if the model names one that may be read.
 *
 * @param requestedPage number or address of a page
 * @throws {ToolError} if every engine fails or the page is not available
 */
export async function answerSearch(
  options: SearchOptions,
  query: string,
  requestedPage: string | undefined,
  config: CallConfig,
): Promise<SearchOutput> {
  const { signal = new AbortController().signal } = config
  const pages = RunPages.of(config)
  const endsAt = performance.now() + options.timeLimitMs
  const call: SearchCall = { ...options, pages, query, signal, endsAt }
  warmUpReader()
  // A weak model puts the address that it is to read into the query.
  const reference = requestedPage ?? (/^https?:\/\/\S+$/.test(query) ? query : undefined)
  if (!reference) return await search(call)
  const page = pages.find(reference, taskTexts(config).join('\n'))
  if (page) return await readMore(call, page)
  const { numbers } = pages
  const known = numbers.length > 0 ? `, which so far are ${numbers.join(', ')}` : ''
  const what = `"${plainLine(reference, 80)}" is neither named in the task nor a result of this run${known}`
  return await search(call, `Note: ${what}. So this is a search.\n`)
}

/** Searches, reads the pages found in parallel, and chooses passages. Returns what it has by the time limit. */
async function search(call: SearchCall, note = ''): Promise<SearchOutput> {
  const { pages, query } = call
  const { results, isOperators } = await firstAnswer(call)
  const found: RunPage[] = []
  for (const result of results) {
    const page = found.length < MAX_RESULTS ? pages.add(result, isOperators) : undefined
    if (page && !found.includes(page)) found.push(page)
  }
  const unread = found.filter(({ isRead }) => !isRead)
  await Promise.all(unread.map(page => readWhole(call, page).catch(() => {})))
  if (found.length === 0)
    return [`${note}No results for ${quotedQuery(query)}. Try fewer or other words.`, { sources: [] }]
  return await output(call, found, `${note}${headOf('Web search results', query)}`)
}

/** Returns those passages of a page that match the query best and that the model has not read. */
async function readMore(call: SearchCall, page: RunPage): Promise<SearchOutput> {
  const { query, signal } = call
  try {
    await readWhole(call, page)
  } catch (error) {
    signal.throwIfAborted()
    const why = error instanceof PageError ? error.message : 'could not be read'
    if (page.passages.length === page.shown.length) throw new ToolError(`Page ${page.number} ${why}.`)
  }
  if (page.shown.length === page.passages.length) {
    const menus = menusOf(page) && `, ${menusOf(page)}`
    const what = page.isCut ? 'What was read of it, only its beginning,' : menus ? 'Its text' : 'All of it'
    return [
      `No more of page ${page.number} for ${quotedQuery(query)}. ${what} has been shown${menus}.`,
      { sources: [] },
    ]
  }
  return await output(call, [page], headOf(`More of page ${page.number}`, query), true)
}

/** The results of the first engine that answers. Each gets an equal share of the time left. */
async function firstAnswer(call: SearchCall): Promise<{ results: SearchResult[]; isOperators: boolean }> {
  const { engines, rules, query, signal, endsAt } = call
  const failures: string[] = []
  for (const [index, engine] of engines.entries()) {
    const share = Math.max(1, (endsAt - performance.now()) / (engines.length - index))
    const timeUp = () =>
      new ToolError(
        `${engine.host} did not answer within ${Math.round(share / 100) / 10} s. Try again later or go on without.`,
      )
    try {
      const results = await withTimeLimit(signal, share, own => engine.search(query, own), timeUp)
      const address = new URL(`http://${engine.host}`)
      return { results, isOperators: engine.isOperators || isPrivate(address, rules) }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      failures.push(error.message)
    }
  }
  throw new ToolError(failures.join(' '))
}

/** @throws {PageError} for a page that must not or cannot be read; and any network error */
async function readWhole(call: SearchCall, page: RunPage): Promise<void> {
  if (page.isWhole) return
  page.reading ??= load(call, page).finally(() => {
    page.reading = undefined
  })
  await page.reading
}

async function load(call: SearchCall, page: RunPage): Promise<void> {
  expectTame(call.pages)
  const { pages, rules } = call
  const endsAt = performance.now() + Math.min(PAGE_LIMIT_MS, leftOf(call))
  const left = () => endsAt - performance.now()
  const { address, read, mayBeInside } = page
  if (read) {
    pages.keep(page, await readText(call, await withinTime(call, left(), read)))
    return
  }
  const allowed = mayBeInside ? rules : { ...rules, privateHosts: [] }
  const fetched = async (address: string, own: PageRules) => {
    const { url, ...content } = await withinTime(call, left(), signal => fetchPage(address, own, signal))
    return { url, text: await readText(call, content) }
  }
  const { url, text } = await fetched(address, allowed)
  const target = refreshOf(text, url)
  // Once only, so that a page that leads on costs no more than two. If that fails, what it says itself remains.
  const led =
    target === undefined ? undefined : await fetched(target, rulesBehind(url, allowed)).catch(() => undefined)
  call.signal.throwIfAborted()
  pages.keep(page, led && led.text.passages.length > 0 ? led.text : text)
}

/** Where a page leads on, other than to itself. */
function refreshOf({ refresh }: PageText, url: URL): string | undefined {
  const target = refresh === undefined ? null : URL.parse(refresh, url.href)
  if (target) target.hash = ''
  return target && target.href !== url.href.replace(/#.*/s, '') ? target.href : undefined
}

/** Time that is left for reading, in milliseconds. */
function leftOf({ endsAt }: SearchCall): number {
  return endsAt - CHOOSING_MS - performance.now()
}

async function withinTime<Result>(
  { signal }: SearchCall,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return await withTimeLimit(signal, Math.max(1, limitMs), work, () => new PageError('took too long'))
}

async function readText(call: SearchCall, { bytes, ...page }: PageContent): Promise<PageText> {
  const sent = { ...page, base64: Buffer.from(bytes).toString('base64') }
  const job = { name: 'readPage', args: [sent] } as const
  return PageText.parse(await withinTime(call, leftOf(call), signal => inReader(call.pages, signal, job)))
}

async function output(
  { maxTokens, pages, query, signal, endsAt }: SearchCall,
  found: readonly RunPage[],
  head: string,
  isRequestedPage = false,
): Promise<SearchOutput> {
  const left = AbortSignal.timeout(Math.max(1, Math.ceil(endsAt - performance.now() - CHOOSING_MS / 10)))
  const choice = await pages.inTurn(async () => {
    const job = { name: 'choose', args: [query, found, head, maxTokens, isRequestedPage] } as const
    const chosen = await inReader(pages, AbortSignal.any([signal, left]), job)
      .then(result => ChosenText.parse(result))
      .catch((): ChosenText => {
        signal.throwIfAborted()
        return wordedSnippets(head, query, found, isRequestedPage)
      })
    for (const [number, index] of chosen.chosen) {
      const shown = found.find(page => page.number === number)?.shown
      if (!shown?.includes(index)) shown?.push(index)
    }
    return chosen
  })
  const numbers = new Set(choice.chosen.map(([number]) => number))
  const sources = found.flatMap(({ number, title, address: url }) =>
    numbers.has(number) ? [{ number, title: plainLine(title, 120), url }] : [],
  )
  return [choice.text, { sources }]
}
