import { RUN } from '@agent-task-service/engine/tool'
import type { CallConfig } from '../call-config.ts'
import type { SearchResult } from './engine.ts'
import { PageError } from './outside.ts'
import { dayOf, type PageText, type Passage } from './passages.ts'
import { plainLine } from './plain-text.ts'

const MAX_ADDRESS = 600
const MAX_SNIPPET = 1_000
/** Maximum page text stored for one run, in characters. */
const MAX_STORED = 4_000_000

/** A page of a run, updated as more of it becomes known. */
export class RunPage {
  readonly number: number
  readonly address: string
  title: string
  date: string | undefined
  /** Whether its passages are the page's own text rather than the search engine's snippet. */
  isRead = false
  /** Whether its passages are the whole page, not an engine's selection. */
  isWhole = false
  /** Whether it goes on after what was read. */
  isCut = false
  /** How many of its lines are not among the passages, as those of menus. */
  leftOut = 0
  /** Whether there is little text of it, which may be since its scripts are not run. */
  isScripted = false
  /** Whether its address was given by the task or by an engine of the operator's, so that its host may be a private one. */
  mayBeInside = false
  passages: readonly Passage[] = []
  /** Indices of the passages the model has already read. */
  shown: number[] = []
  read: SearchResult['read']
  /** Its reading under way, which parallel calls share. */
  reading: Promise<void> | undefined

  constructor(number: number, address: string, title: string) {
    this.number = number
    this.address = address
    this.title = title
  }
}

const runs = new WeakMap<object, RunPages>()

/** The pages one run has found, by number. Only these, and pages whose address is in the task, can be read. */
export class RunPages {
  readonly #pages = new Map<number, RunPage>()
  #turn: Promise<unknown> = Promise.resolve()

  /** The pages of the run that calls the tool; without a run, a new set just for this call. */
  static of({ configurable, state }: CallConfig): RunPages {
    const messages = state?.messages ?? []
    const run = (configurable?.[RUN] ?? messages[0]) as object | undefined
    const known = run && runs.get(run)
    if (known) return known
    const pages = new RunPages()
    // In a resumed thread, earlier runs' pages are known only from their messages.
    for (const { number, title, url } of messages.flatMap(({ artifact }) => artifact?.sources ?? []))
      pages.#pages.set(number, new RunPage(number, url, title))
    if (run) runs.set(run, pages)
    return pages
  }

  /** Parallel calls choose passages one after the other, so that none shows what another has shown. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  get numbers(): readonly number[] {
    return [...this.#pages.keys()]
  }

  /** Those that were read, by number. */
  get whole(): readonly RunPage[] {
    return [...this.#pages.values()].filter(({ isWhole }) => isWhole)
  }

  /** Adds a result. A known address keeps its number; a result whose address must not be shown is dropped. */
  add({ title, url, text, date, passages, read }: SearchResult, mayBeInside: boolean): RunPage | undefined {
    const address = webAddress(url)
    if (address === undefined) return undefined
    const page = this.#at(address) ?? this.#create(address, title)
    page.read ??= read
    page.mayBeInside ||= mayBeInside
    page.date ??= dayOf(date)
    const isRead = (passages ?? []).length > 0
    if (page.isWhole || (page.isRead && !isRead)) return page
    if (isRead && !page.isRead) Object.assign(page, { isRead, passages: [], shown: [] })
    const texts = (isRead ? passages! : [text]).map(raw => plainLine(raw, MAX_SNIPPET))
    const fresh = texts.filter(text => !page.passages.some(passage => passage.text === text))
    page.passages = [...page.passages, ...fresh.map(text => ({ heading: '', text }))]
    return page
  }

  /** The page the model refers to by number or address. */
  find(reference: string, task: string): RunPage | undefined {
    const number = /^\D{0,8}(\d{1,6})\W*$/.exec(reference)?.[1]
    if (number !== undefined) return this.#pages.get(Number(number))
    const address = webAddress(reference)
    if (address === undefined) return undefined
    const known = this.#at(address)
    if (!addressesIn(task).includes(address)) return known
    return Object.assign(known ?? this.#create(address, address), { mayBeInside: true })
  }

  /** Stores the text read from a page, dropping that of others if it becomes too much. */
  keep(page: RunPage, text: PageText): void {
    const { title, date, passages, isCut = false, leftOut = 0, isScripted = false } = text
    page.isScripted = isScripted
    if (passages.length === 0)
      throw new PageError(isScripted ? 'shows its text by scripts, which are not run' : 'holds no text')
    Object.assign(page, { isRead: true, isWhole: true, isCut, leftOut, passages, shown: [] })
    if (title && (page.title === '' || page.title === page.address)) page.title = title
    page.date = date ?? page.date
    let stored = sizeOf(page)
    for (const other of [...this.#pages.values()].reverse()) {
      if (other === page || !other.isRead) continue
      stored += sizeOf(other)
      if (stored > MAX_STORED)
        Object.assign(other, { isRead: false, isWhole: false, passages: [], shown: [] })
    }
  }

  #at(address: string): RunPage | undefined {
    return [...this.#pages.values()].find(page => page.address === address)
  }

  #create(address: string, title: string): RunPage {
    const page = new RunPage(Math.max(0, ...this.#pages.keys()) + 1, address, title)
    this.#pages.set(page.number, page)
    return page
  }
}

function sizeOf({ passages }: RunPage): number {
  return passages.reduce((sum, { text, heading }) => sum + text.length + heading.length, 0)
}

/** What may follow an address in a sentence. */
const PUNCTUATION = '.,;:!?)]}*_'

function addressesIn(text: string): (string | undefined)[] {
  return (text.match(/https?:\/\/[^\s<>"'`]+/gi) ?? []).flatMap(found => {
    let end = found.length
    while (PUNCTUATION.includes(found.charAt(end - 1))) end -= 1
    return [webAddress(found), webAddress(found.slice(0, end))]
  })
}

/** The URL in normal form, without spaces, control characters and credentials; only http and https. */
function webAddress(raw: string): string | undefined {
  const url = URL.parse(raw)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined
  url.username = ''
  url.password = ''
  url.hash = ''
  return url.href.length <= MAX_ADDRESS ? url.href : undefined
}
