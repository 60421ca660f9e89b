import { escapeUTF8 } from 'entities/escape'
import { Parser } from 'htmlparser2'
import type { Attributes } from './math-text.ts'
import { dayOf, MAX_PAGE_TEXT } from './passages.ts'
import { plainLine } from './plain-text.ts'

/** The first element of RSS, Atom and RSS 1.0, behind declarations and comments. */
const FEED_START = /^(?:\s|<[?!][^>]*>)*<(?:rss|feed|rdf:rdf)[\s>]/i
const ITEMS = new Set(['item', 'entry'])
const FEEDS = new Set(['channel', 'feed'])
/** The best that an item has of each. */
const CONTENT = ['content:encoded', 'content', 'description', 'summary', 'itunes:summary', 'subtitle']
const DATES = ['updated', 'pubdate', 'published', 'dc:date', 'lastbuilddate']
const PIECE_LENGTH = 16_384
const MAX_FIELD = 50_000

/** What is said about a feed or an item, by element: HTML; addresses as they are. */
type Fields = Record<string, string>

export function isFeed(text: string): boolean {
  return FEED_START.test(text.slice(0, 4_000))
}

/** A feed as a page: its items' titles as headings, with their dates, addresses and texts, which then are read by the same rules. */
export function feedAsHtml(xml: string, isTimeUp: () => boolean): string {
  const reader = new FeedReader()
  const parser = new Parser(reader, { xmlMode: true, lowerCaseTags: true })
  for (let at = 0; at < xml.length && reader.html.length < MAX_PAGE_TEXT && !isTimeUp(); at += PIECE_LENGTH)
    parser.write(xml.slice(at, at + PIECE_LENGTH))
  parser.end()
  return reader.result()
}

class FeedReader {
  html = ''
  /** The latest day of the feed and its items. */
  #day = ''
  readonly #feed: Fields = {}
  /** The names of the elements around, outermost first. */
  readonly #path: string[] = []
  #item: Fields | undefined
  #field: { readonly name: string; readonly depth: number; readonly isText: boolean } | undefined

  onopentag(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1) ?? ''
    this.#path.push(name)
    if (this.#field) this.#add(`<${name}${attributesOf(attributes)}>`)
    else if (ITEMS.has(name)) this.#item = {}
    else if (ITEMS.has(parent) || FEEDS.has(parent)) this.#beginField(name, parent, attributes)
  }

  #beginField(name: string, parent: string, { type = 'text', href, rel = 'alternate' }: Attributes): void {
    const isAtom = parent === 'entry' || parent === 'feed'
    this.#field = { name, depth: this.#path.length, isText: isAtom && type === 'text' }
    if (name === 'link' && href !== undefined && rel === 'alternate') this.#add(href)
  }

  ontext(text: string): void {
    if (!this.#field) return
    const isMarkup = !this.#field.isText && this.#path.length === this.#field.depth
    this.#add(isMarkup ? text : escapeUTF8(text))
  }

  onclosetag(name: string): void {
    if (this.#field && this.#path.length > this.#field.depth) this.#add(`</${name}>`)
    else this.#field = undefined
    this.#path.pop()
    if (!ITEMS.has(name) || !this.#item) return
    const day = dayIn(this.#item)
    this.#noteDay(day)
    this.html += itemAsHtml(this.#item, day)
    this.#item = undefined
  }

  result(): string {
    const { title = '' } = this.#feed
    this.#noteDay(dayIn(this.#feed))
    return `<title>${lineOf(title)}</title><meta name="date" content="${this.#day}"><div>${bestOf(this.#feed, CONTENT)}</div>${this.html}`
  }

  #noteDay(day = ''): void {
    if (day > this.#day) this.#day = day
  }

  #add(text: string): void {
    const fields = this.#item ?? this.#feed
    const { name } = this.#field!
    const before = fields[name] ?? ''
    if (before.length < MAX_FIELD) fields[name] = before + text
  }
}

function itemAsHtml(item: Fields, day: string | undefined): string {
  const title = lineOf(item.title ?? '')
  const link = URL.parse((item.link ?? '').trim())
  const address = link && /^https?:$/.test(link.protocol) ? `link: ${escapeUTF8(link.href)}` : ''
  const about = [day, address].filter(Boolean).join('; ')
  return `<h2>${title}</h2><p>${about || title}</p><div>${bestOf(item, CONTENT)}</div>`
}

function bestOf(fields: Fields, names: readonly string[]): string {
  return names.map(name => fields[name]).find(text => text !== undefined && text.trim() !== '') ?? ''
}

/** Titles may hold HTML, which their headings must not. */
function lineOf(markup: string): string {
  return escapeUTF8(plainLine(markup, 300))
}

/** RSS writes dates as e-mails do. The day is the one that is written, wherever the feed was written. */
function dayIn(fields: Fields): string | undefined {
  const text = bestOf(fields, DATES).trim()
  const time = Date.parse(text.slice(0, 60).replace(/(\d{4}),?\s+\d{1,2}:\d\d.*/s, '$1 UTC'))
  return dayOf(text) ?? (Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10))
}

function attributesOf(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeUTF8(value)}"`)
    .join('')
}
