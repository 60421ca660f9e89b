import { withTimeLimit } from '../time-limit.ts'
import { type Source, ToolError } from '../tool.ts'
import { fetchPage, type PageRules } from './fetch-page.ts'
import { isPrivate, PageError } from './outside.ts'
import { dayOf, PageText } from './passages.ts'
import { plainText } from './plain-text.ts'
import { expectTame, inReader, warmUp } from './reader.ts'
import { Choice, headOf, wordedSnippets } from './result-text.ts'
import { type CallConfig, type RunPage, RunPages } from './run-pages.ts'
import { MAX_RESULTS, type SearchProvider, type SearchResult } from './search-provider.ts'

/** Time limit for fetching one page, in milliseconds. */
const PAGE_LIMIT_MS = 4_000
/** Time reserved for choosing among the passages read, in milliseconds. */
const CHOOSING_MS = 500

export interface SearchParts {
  readonly providers: readonly SearchProvider[]
  readonly rules: PageRules
  readonly maxTokens: number
  readonly timeLimitMs: number
}

/** The tool's result: the text the model reads, and its sources as data. */
export type SearchOutput = [text: string, artifact: { readonly sources: readonly Source[] }]

/**
 * Searches, or returns more of a page if the model names one that may be read.
 *
 * @param read number or address of a page
 * @throws {ToolError} if every engine fails or the page is not available
 */
export async function answer(
  parts: SearchParts,
  query: string,
  read: string | undefined,
  config: CallConfig,
): Promise<SearchOutput> {
  const { signal = new AbortController().signal, state } = config
  const pages = RunPages.of(config)
  warmUp()
  // A weak model puts the address that it is to read into the query.
  const reference = read ?? (/^https?:\/\/\S+$/.test(query) ? query : undefined)
  if (!reference) return await search(parts, pages, query, signal)
  const task = (state?.messages ?? []).flatMap(({ type, text }) => (type === 'human' ? [text] : []))
  const page = pages.find(reference, task.join('\n'))
  if (page) return await readMore(parts, pages, page, query, signal)
  const { numbers } = pages
  const known = numbers.length > 0 ? `, which so far are ${numbers.join(', ')}` : ''
  const what = `"${plainText(reference, 80)}" is neither named in the task nor a result of this run${known}`
  return await search(parts, pages, query, signal, `Note: ${what}. So this is a search.\n`)
}

/** Searches, reads the pages found in parallel, and chooses passages. Returns what it has by the time limit. */
async function search(
  parts: SearchParts,
  pages: RunPages,
  query: string,
  signal: AbortSignal,
  note = '',
): Promise<SearchOutput> {
  const endsAt = performance.now() + parts.timeLimitMs
  const { results, isOperators } = await firstAnswer(parts, query, signal, endsAt)
  const found: RunPage[] = []
  for (const result of results) {
    const page = found.length < MAX_RESULTS ? pages.add(result, isOperators) : undefined
    if (page && !found.includes(page)) found.push(page)
  }
  await Promise.all(
    found
      .filter(({ isRead }) => !isRead)
      .map(page => read(parts, pages, page, signal, endsAt).catch(() => {})),
  )
  if (found.length === 0)
    return [`${note}${nothing('No results', query, 'Try fewer or other words.')}`, { sources: [] }]
  const head = `${note}${headOf('Web search results', query)}`
  return await output(parts, pages, query, found, head, signal, endsAt)
}

/** Returns those passages of a page that match the query best and that the model has not read. */
async function readMore(
  parts: SearchParts,
  pages: RunPages,
  page: RunPage,
  query: string,
  signal: AbortSignal,
): Promise<SearchOutput> {
  const endsAt = performance.now() + parts.timeLimitMs
  try {
    await read(parts, pages, page, signal, endsAt)
  } catch (error) {
    signal.throwIfAborted()
    const why = error instanceof PageError ? error.message : 'could not be read'
    if (page.passages.length === page.shown.length) throw new ToolError(`Page ${page.number} ${why}.`)
  }
  if (page.shown.length === page.passages.length)
    return [nothing(`No more of page ${page.number}`, query, 'All of it has been shown.'), { sources: [] }]
  const head = headOf(`More of page ${page.number}`, query)
  return await output(parts, pages, query, [page], head, signal, endsAt, true)
}

function nothing(what: string, query: string, advice: string): string {
  return `${what} for "${plainText(query, 120).replaceAll('"', "'")}". ${advice}`
}

/** The results of the first engine that answers. Each gets an equal share of the time left. */
async function firstAnswer(
  { providers, rules }: SearchParts,
  query: string,
  signal: AbortSignal,
  endsAt: number,
): Promise<{ results: SearchResult[]; isOperators: boolean }> {
  const failures: string[] = []
  for (const [index, provider] of providers.entries()) {
    const share = Math.max(1, (endsAt - performance.now()) / (providers.length - index))
    const timeUp = () =>
      new ToolError(
        `${provider.host} did not answer within ${Math.round(share / 100) / 10} s. Try again later or go on without.`,
      )
    try {
      const results = await withTimeLimit(signal, share, own => provider.search(query, own), timeUp)
      const engine = new URL(`http://${provider.host}`)
      return { results, isOperators: provider.isOperators || isPrivate(engine, rules) }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      failures.push(error.message)
    }
  }
  throw new ToolError(failures.join(' '))
}

/** @throws {PageError} for a page that must not or cannot be read; and any network error */
async function read(...[parts, pages, page, caller, endsAt]: Parameters<typeof load>): Promise<void> {
  if (page.isWhole) return
  page.reading ??= load(parts, pages, page, caller, endsAt).finally(() => {
    page.reading = undefined
  })
  await page.reading
}

async function load(
  { rules }: SearchParts,
  pages: RunPages,
  page: RunPage,
  caller: AbortSignal,
  endsAt: number,
): Promise<void> {
  expectTame(pages)
  const { address, mayBeInside } = page
  const left = () => Math.max(1, endsAt - CHOOSING_MS - performance.now())
  const tooLong = () => new PageError('took too long')
  const fetched = async (signal: AbortSignal) =>
    await (page.read?.(signal) ??
      fetchPage(address, mayBeInside ? rules : { ...rules, privateHosts: [] }, signal))
  const content = await withTimeLimit(caller, Math.min(PAGE_LIMIT_MS, left()), fetched, tooLong)
  const { type, charset, bytes } = content
  const sent = { type, charset, base64: Buffer.from(bytes).toString('base64') }
  const job = { name: 'readPage', args: [sent] } as const
  const text = await withTimeLimit(caller, left(), signal => inReader(pages, signal, job), tooLong)
  pages.keep(page, PageText.parse(text))
}

async function output(
  { maxTokens }: SearchParts,
  run: RunPages,
  query: string,
  found: readonly RunPage[],
  head: string,
  signal: AbortSignal,
  endsAt: number,
  isAskedFor = false,
): Promise<SearchOutput> {
  const candidates = found.map(({ number, title, address, date, isRead, passages, shown }) => {
    return { number, title, address, date: dayOf(date), isRead, passages, shown }
  })
  const left = AbortSignal.timeout(Math.max(1, Math.ceil(endsAt - performance.now() - CHOOSING_MS / 10)))
  const choice = await run.inTurn(async () => {
    const job = { name: 'choose', args: [query, candidates, head, maxTokens, isAskedFor] } as const
    const chosen = await inReader(run, AbortSignal.any([signal, left]), job)
      .then(result => Choice.parse(result))
      .catch((): Choice => {
        signal.throwIfAborted()
        return {
          text: wordedSnippets(head, candidates),
          chosen: candidates.map(({ number }) => [number, 0]),
        }
      })
    for (const [number, index] of chosen.chosen) {
      const shown = found.find(page => page.number === number)?.shown
      if (!shown?.includes(index)) shown?.push(index)
    }
    return chosen
  })
  const numbers = new Set(choice.chosen.map(([number]) => number))
  const sources = candidates.flatMap(({ number, title, address: url }) =>
    numbers.has(number) ? [{ number, title: plainText(title, 120), url }] : [],
  )
  return [choice.text, { sources }]
}
