import type { Attributes } from './math-text.ts'
import { type Block, dayOf, visible } from './passages.ts'
import { described, structuredBlocks } from './structured-data.ts'

const DATES =
  /^(?:article:|og:)?(?:modified_time|published_time|updated_time|date|dc\.date(?:\.\w+)?|dcterms\.(?:created|date|issued|modified)|last-modified|pubdate|datepublished|datemodified)$/i
const STRUCTURED_DATE = /"date(?:Modified|Published)"\s*:\s*"([^"]{10,40})"/g
const MAX_STRUCTURED = 200_000
const MAX_TITLE = 500
/** A longer delay, in seconds, is for people who watch a page. */
const MAX_REFRESH_SEC = 10
const REFRESH = /^\s*(\d{1,4})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i
const MAX_ADDRESS = 600
const MAX_DESCRIBED = 200

/** What kind of script is being read: JSON-LD, one that may hold the page's state, or another. */
type Script = 'structured' | 'state' | undefined

/** What tells about a page: its title, its meta elements, its scripts. */
export class HtmlData {
  title = ''
  date: string | undefined
  /** Where it leads on, and where it does for those who run no scripts. */
  refresh: string | undefined
  refreshWithoutScripts: string | undefined
  hasScripts = false
  /** Scripts that may hold the state from which other scripts make the page. */
  readonly states: string[] = []
  readonly #items: Block[] = []
  #otherTitle = ''
  #structured = ''
  #isTitle = false
  #script: Script

  /** @param isIn whether it is inside an element with this name */
  open(name: string, attributes: Attributes, isIn: (name: string) => boolean): void {
    if (name === 'title' && this.title === '') this.#isTitle = true
    else if (name === 'meta') this.#readMeta(attributes, isIn)
    else if (name === 'script') this.#beginScript(attributes)
  }

  text(text: string): void {
    if (this.#isTitle) this.title = (this.title + text).slice(0, MAX_TITLE)
    if (this.#script === 'structured') this.#structured = (this.#structured + text).slice(0, MAX_STRUCTURED)
    if (this.#script === 'state') this.states.push((this.states.pop() ?? '') + text)
  }

  close(name: string): void {
    if (name === 'title') this.#isTitle = false
    if (name === 'script') this.#script = undefined
  }

  /** A property of schema.org in a meta or link element of the page's body. */
  describe(heading: string, { itemprop = '', content, href }: Attributes): void {
    const text = this.#items.length < MAX_DESCRIBED ? described(itemprop, content ?? href ?? '') : ''
    if (text !== '') this.#items.push({ heading, text })
  }

  get shownTitle(): string {
    return visible(this.title) || visible(this.#otherTitle)
  }

  /** What it describes for search engines. */
  blocks(): Block[] {
    for (const [, text] of this.#structured.matchAll(STRUCTURED_DATE)) this.#noteDate(text)
    return [...structuredBlocks(this.#structured.split('\0')), ...this.#items]
  }

  #beginScript({ type = '' }: Attributes): void {
    const isStructured = type === 'application/ld+json'
    const mayHoldState = /^(?:$|module$|text\/javascript$|application\/(?:.*\+)?json\b)/i.test(type)
    this.#script = isStructured ? 'structured' : mayHoldState ? 'state' : undefined
    if (isStructured) this.#structured += '\0'
    else if (mayHoldState) this.states.push('')
    this.hasScripts ||= !/json/i.test(type)
  }

  #readMeta(attributes: Attributes, isIn: (name: string) => boolean): void {
    const { name, property, itemprop, content = '' } = attributes
    const key = property ?? name ?? itemprop ?? ''
    if (key === 'og:title') this.#otherTitle = content.slice(0, MAX_TITLE)
    if (DATES.test(key)) this.#noteDate(content)
    const isPages = !isIn('template') && !isIn('iframe')
    if (attributes['http-equiv']?.toLowerCase() === 'refresh' && isPages) this.#readRefresh(content, isIn)
  }

  #readRefresh(content: string, isIn: (name: string) => boolean): void {
    const [, delay, address] = REFRESH.exec(content.slice(0, 1000)) ?? []
    if (address === undefined || address.length > MAX_ADDRESS || Number(delay) > MAX_REFRESH_SEC) return
    if (isIn('noscript')) this.refreshWithoutScripts ??= address.trim()
    else this.refresh ??= address.trim()
  }

  /** The latest one is that of the last change. */
  #noteDate(text: string | undefined): void {
    const day = dayOf(text)
    if (day && day > (this.date ?? '')) this.date = day
  }
}
