import { Parser } from 'htmlparser2'
import { HtmlData } from './html-data.ts'
import { HtmlTable } from './html-table.ts'
import { type Attributes, MathText } from './math-text.ts'
import { stateBlocks } from './page-state.ts'
import { type Block, MAX_PAGE_TEXT, type PageText, toPassages, visible } from './passages.ts'
import { MARK, NOTE, unmarked, written } from './raised-text.ts'

/** How much is parsed between two looks at the time. No tree is built: what is left of a page is its text. */
const PIECE_LENGTH = 16_384

const DROPPED = new Set(
  'title script style iframe object embed svg canvas audio video select datalist head'.split(' '),
)
/** Elements around a page's own text. Inside an article, they may belong to the text. */
const FRAME = new Set(['nav', 'footer'])
const FRAME_ROLE = /^(?:navigation|banner|contentinfo|complementary|search|menu|menubar|dialog|alertdialog)$/
/** Elements that hold text of the page or links to others. */
const MIXED = new Set(['header', 'aside'])
/** What holds the page's own text. */
const OWN = new Set(['main', 'article', 'h1'])
/** A class or an id that names nothing else: `cookie-banner` does, `has-sidebar` and `share-price` do not. */
const FRAME_NAME =
  /(?:^|\s)(?:site-header|(?:(?:site|page|main|left|right|top|bottom|global|primary|bar|box|list|links|buttons|container|wrapper|widget)[_-]+)*(?:nav|navbar|navigation|menu|sidebar|breadcrumbs?|cookies?|consent|gdpr|newsletter|subscribe|share|sharing|social|related|recommended|promo|advert|ads?|banner|footer|masthead|pagination|toc|popup|modal)(?:[_-]+(?:nav|menu|bar|box|list|links|buttons|container|wrapper|widget|banner|popup|modal))*)(?=$|\s)/i
const HIDDEN_STYLE =
  /display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?(?=\s*(?:;|!|$))|font-size\s*:\s*0(?![.\d]*[1-9])|(?:left|top|text-indent)\s*:\s*-\d{3,}/i
const HIDDEN_NAME = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|hidden|d-none)(?=$|\s)/i
const INLINE = new Set(
  'a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark math meter output progress q rp rt ruby s samp small span strike strong sub sup textarea time tt u var wbr'.split(
    ' ',
  ),
)
/** It is only read out. */
const SPOKEN_NAME = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text)(?=$|\s)/i
/** A sign that is read out since it is shown as a line or by a place, as that of a fraction. */
const SPOKEN_SIGN = /^[/⁄+−-]$/
/** A font's icon, whose text names it, and a formula whose MathML stands beside it. */
const REPEATING_NAME = /(?:^|[\s_-])(?:icons?|material-symbols[\w-]*|katex-html|mjx-math)(?=$|[\s_-])/i
/** No longer holds. */
const STRUCK = new Set(['s', 'del', 'strike'])
const STRUCK_STYLE = /text-decoration[\w-]*\s*:[^;]*line-through/i
const RAISED_STYLE = /vertical-align\s*:\s*(super|sub)(?![\w-])/i
/** Its class, id or role says that raised text is the mark of a note. */
const NOTE_NAME = /(?:^|[\s_-])(?:reference|foot-?note|end-?note|note-?ref|fn-?ref)/i
/** Wikipedia hides its formulas behind pictures of them. */
const FORMULA_NAME = /(?:^|\s)mwe-math-mathml/
/** What names the text below it. */
const TITLE = /^(?:h[1-6]|dt|summary)$/
/** Types of fields whose value is shown as it is. */
const FIELD = /^(?:text|number|date|time|month|email|tel|url)$/i
/** A longer one describes what the picture shows. */
const LONG_ALTERNATIVE = 50
const MAX_ALTERNATIVE = 500
/** A page with less text of its own, in characters, may keep it where it usually frames a page, or in its scripts. */
const LITTLE_TEXT = 200

/** What was read before an element, in characters and blocks. */
interface Before {
  readonly text: number
  readonly linked: number
  readonly blocks: number
}

interface OpenElement {
  readonly name: string
  /** Its content is not text of the page. */
  readonly isDropped: boolean
  readonly isHidden: boolean
  /** What of its text is left out, as around the page's own: all of it, or lines of links. */
  omits: 'all' | 'links' | undefined
  /** Its element or its role says that it is around the page's own text, not only its name. */
  readonly isCertain: boolean
  readonly isArticle: boolean
  /** Of a header or an aside. */
  before?: Before
  readonly isStruck: boolean
  /** It is not shown, only read out. */
  readonly isSpoken: boolean
  /** It is shown, but not read out. */
  readonly isUnspoken: boolean
  /** It is part of something that schema.org describes. */
  readonly isItem: boolean
  readonly script: 'sup' | 'sub' | undefined
}

/**
 * Reads a page's text from its HTML in one pass.
 *
 * @param isTimeUp whether the page has used up its processor time
 * @param isXml whether CDATA is text; in HTML it is a comment
 */
export async function readHtml(html: string, isTimeUp: () => boolean, isXml = false): Promise<PageText> {
  const reader = new HtmlReader()
  let isCut = !isWhole(html, reader, isTimeUp, isXml)
  // Frames may hold frames.
  for (const { document, around } of reader.frames) {
    if (isCut) break
    reader.beginFrame(around)
    isCut = !isWhole(document, reader, isTimeUp)
  }
  return { ...(await reader.result(isTimeUp)), ...(isCut && { isCut }) }
}

/** Parses a document. Tells whether the limits of text and time let it come to the end. */
function isWhole(html: string, reader: HtmlReader, isTimeUp: () => boolean, isXml = false): boolean {
  const parser = new Parser(reader, { decodeEntities: true, lowerCaseTags: true, recognizeCDATA: isXml })
  for (let at = 0; at < html.length; at += PIECE_LENGTH) {
    if (reader.isFull || isTimeUp()) return false
    parser.write(html.slice(at, at + PIECE_LENGTH))
  }
  if (!reader.isFull) parser.end()
  return !reader.isFull
}

class HtmlReader {
  isFull = false
  /** Documents that stand in attributes, and what they stand in. */
  readonly frames: { readonly document: string; readonly around: OpenElement }[] = []
  readonly #data = new HtmlData()
  readonly #open: OpenElement[] = []
  readonly #blocks: (Block & { isOmitted: boolean })[] = []
  readonly #headings: string[] = []
  #tables: HtmlTable[] = []
  #text = ''
  /** Of the element that the text stands in. */
  #omits: OpenElement['omits']
  #linked = 0
  #links = 0
  /** Characters so far, and those of them in links. */
  #total = { text: 0, linked: 0 }
  #length = 0
  /** Data sheets put name and value into spans, with nothing between them. */
  #isAfterSpan = false
  #isSpaceDue = false
  /** What is read out, but not shown. */
  #spoken = ''
  /** A link to a place on a page has begun, and no text yet. */
  #isLinkToNote = false
  #math: MathText | undefined
  /** The last two characters that were written in this block. */
  #last = ''

  onopentag(name: string, attributes: Attributes): void {
    if (this.isFull) return
    const parent = this.#open.at(-1)
    const element = opened(name, attributes, parent, this.#isUnshown(name, attributes))
    if (!element.isCertain && OWN.has(name)) this.#keepAround()
    if (name === 'span' && this.#isAfterSpan) this.#isSpaceDue = true
    if (MIXED.has(name) && this.#tables.length === 0) element.before = this.#beginMixed()
    this.#open.push(element)
    this.#data.open(name, attributes, outer => this.#open.some(({ name }) => name === outer))
    if (element.isSpoken) this.#spoken = ''
    if (name === 'iframe') this.#noteFrame(attributes, element, parent)
    else if (!element.isDropped) this.#begin(name, attributes, element)
  }

  /** What holds the page's own text is not around it, whatever its name. */
  #keepAround(): void {
    const outer = this.#open.findLastIndex(({ omits }) => omits !== 'all')
    for (const element of this.#open.slice(outer + 1)) element.omits = 'links'
  }

  #beginMixed(): Before {
    this.#flush()
    return { ...this.#total, blocks: this.#blocks.length }
  }

  /** Goes on with the document of a frame. */
  beginFrame(around: OpenElement): void {
    this.#open.splice(0, this.#open.length, around)
    this.#headings.length = 0
  }

  #noteFrame(attributes: Attributes, frame: OpenElement, parent: OpenElement | undefined): void {
    if (attributes.srcdoc === undefined || parent?.isDropped || frame.isHidden) return
    this.frames.push({ document: attributes.srcdoc, around: { ...frame, isDropped: false } })
  }

  /** Whether the text of an element by this name is none of the page's. */
  #isUnshown(name: string, attributes: Attributes): boolean {
    // Its text would stand in a cell, beside what people see.
    if (name === 'noscript') return this.#tables.length > 0
    if (name === 'dialog') return attributes.open === undefined
    if (name === 'template') return attributes.shadowrootmode === undefined
    // What opens an answer is its question.
    if (name === 'button')
      return attributes['aria-expanded'] === undefined && !this.#open.some(({ name }) => TITLE.test(name))
    return DROPPED.has(name)
  }

  #begin(name: string, attributes: Attributes, element: OpenElement): void {
    // Of `(was )`.
    if (element.isStruck && !this.#open.at(-2)?.isStruck) this.#grow(6)
    if (element.isUnspoken) this.#mark(MARK.unspoken[0])
    this.#describe(name, attributes, element)
    if (this.#math || nameInMath(name) === 'math') this.#beginMath(name, attributes)
    else if (element.script) this.#beginScript(element.script, attributes)
    else if (name === 'a') this.#beginLink(attributes)
    else if (name === 'img') this.#writeAlternative(attributes)
    else if (name === 'input') this.#writeValue(attributes)
    else if (name === 'small') this.#mark(MARK.small[0])
    else if (!INLINE.has(name)) this.#beginBlock(name, attributes)
  }

  #beginScript(script: 'sup' | 'sub', { class: names = '', id = '', role = '' }: Attributes): void {
    const isNote = this.#isLinkToNote || NOTE_NAME.test(`${names} ${id} ${role}`.slice(0, 1000))
    this.#write(`${MARK[script][0]}${isNote ? NOTE : ''}`)
    this.#grow(2)
  }

  #beginLink({ href = '' }: Attributes): void {
    this.#links += 1
    this.#isLinkToNote = href.includes('#')
    if (this.#isLinkToNote && this.#last.endsWith(MARK.sup[0])) this.#text += NOTE
  }

  #writeAlternative({ alt = '' }: Attributes): void {
    const text = unmarked(alt.slice(0, MAX_ALTERNATIVE))
    if (text.length >= LONG_ALTERNATIVE) this.#writeApart(`[image: ${text}]`)
  }

  #writeValue({ type = 'text', value = '' }: Attributes): void {
    if (FIELD.test(type) && value !== '') this.#writeApart(unmarked(value.slice(0, MAX_ALTERNATIVE)))
  }

  /** Writes what an attribute says. */
  #writeApart(text: string): void {
    this.#write(` ${text} `)
    this.#grow(text.length + 2)
    this.#count(text.length)
  }

  /** A visible element may show its value in pieces, such as a price with raised cents. */
  #describe(name: string, attributes: Attributes, { isItem }: OpenElement): void {
    if (!isItem || attributes.itemprop === undefined) return
    if (name === 'meta' || name === 'link' || attributes.content !== undefined)
      this.#data.describe(this.#heading(), attributes)
  }

  #beginMath(name: string, attributes: Attributes): void {
    this.#math ??= new MathText()
    this.#math.open(nameInMath(name), attributes)
  }

  #endMath(formula: string | undefined): void {
    if (formula === undefined) return
    this.#math = undefined
    const isRunning = /[\p{L}\p{N}]$/u.test(this.#last) && /^\s*[\p{L}\p{N}]/u.test(formula)
    this.#write(`${isRunning ? ' ' : ''}${formula}`)
    this.#grow(formula.length)
  }

  #grow(length: number): void {
    this.#length += length
    if (this.#length > MAX_PAGE_TEXT) this.isFull = true
  }

  #write(text: string): void {
    const element = this.#open.at(-1)
    this.#omits = element?.omits
    if (this.#isSpaceDue && !isRunningOn(this.#last, text)) {
      this.#text += ' '
      this.#last = ' '
    }
    this.#isSpaceDue = false
    const [begin, end] = MARK.struck
    this.#text += element?.isStruck ? `${begin}${text}${end}` : text
    this.#last = (this.#last + text.slice(-2)).slice(-2)
  }

  /** A mark between pieces of text that does not part them. */
  #mark(mark: string): void {
    if (this.#math) return
    const [begin, end] = MARK.struck
    this.#text += this.#open.at(-1)?.isStruck ? `${begin}${mark}${end}` : mark
    this.#grow(1)
  }

  /** Writes what was read out if it is a sign that people see by other means. */
  #endSpoken(): void {
    const sign = this.#spoken.trim()
    if (this.#math || !SPOKEN_SIGN.test(sign)) return
    this.#isSpaceDue = false
    this.#isAfterSpan = false
    if (SPOKEN_SIGN.test(this.#last.slice(-1))) return
    // Of a mixed number, `2 1/4`.
    this.#write(sign === '+' && /\d$/.test(this.#last) ? ' ' : sign)
    this.#grow(1)
  }

  ontext(sent: string): void {
    if (this.isFull) return
    const text = unmarked(sent)
    this.#isAfterSpan = false
    this.#data.text(text)
    const element = this.#open.at(-1)
    if (element?.isDropped) {
      this.#spoken = (this.#spoken + text).slice(0, 20)
      return
    }
    this.#grow(text.length)
    if (this.#math) {
      this.#math.write(text)
      return
    }
    if (text.trim() !== '') this.#isLinkToNote = false
    this.#write(text)
    this.#count(text.trim().length)
  }

  /** Counts characters that were written, and those in links. */
  #count(length: number): void {
    if (this.#omits === 'all') return
    this.#total.text += length
    if (this.#links === 0) return
    this.#linked += length
    this.#total.linked += length
  }

  onclosetag(name: string): void {
    if (this.isFull) return
    const element = this.#open.at(-1)
    this.#isAfterSpan = name === 'span'
    this.#data.close(name)
    if (element?.isSpoken) this.#endSpoken()
    if (element && !element.isDropped) this.#end(name, element)
    this.#open.pop()
  }

  #end(name: string, element: OpenElement): void {
    if (this.#math) this.#endMath(this.#math.close())
    else if (name === 'a') {
      this.#links -= 1
      this.#isLinkToNote = false
    } else if (element.script) this.#write(MARK[element.script][1])
    else if (name === 'small') this.#mark(MARK.small[1])
    else if (!INLINE.has(name)) this.#endBlock(name)
    if (element.before) this.#endMixed(element.before)
    if (element.isUnspoken) this.#mark(MARK.unspoken[1])
  }

  /** A header or an aside that is mostly links leads to other pages. */
  #endMixed({ text, linked, blocks }: Before): void {
    if (this.#total.linked - linked <= 0.5 * (this.#total.text - text)) return
    for (const block of this.#blocks.slice(blocks)) block.isOmitted = true
  }

  async result(isTimeUp: () => boolean): Promise<PageText> {
    if (this.#math) this.#endMath(this.#math.end())
    while (this.#tables.length > 0) this.#endTable()
    this.#flush()
    const data = this.#data
    const own = this.#blocks.filter(({ isOmitted }) => !isOmitted)
    const written = own.map(({ text, rows = [] }) => [text, ...rows].join(' ')).join(' ')
    const isLittle = written.length < LITTLE_TEXT
    const lines = (blocks: readonly Block[]) => blocks.reduce((sum, { rows = [0] }) => sum + rows.length, 0)
    const added = data.blocks().filter(({ text }) => !isWritten(text, written))
    const state = isLittle ? stateBlocks(data.states, isTimeUp) : []
    return {
      title: data.shownTitle,
      date: data.date,
      // If little else is left, the page keeps its text in elements that usually frame it.
      passages: await toPassages([...(isLittle ? this.#blocks : own), ...added, ...state]),
      leftOut: isLittle ? 0 : lines(this.#blocks) - lines(own),
      refresh: data.refresh ?? (isLittle ? data.refreshWithoutScripts : undefined),
      isScripted: isLittle && data.hasScripts && added.length + state.length === 0,
    }
  }

  #beginBlock(name: string, attributes: Attributes): void {
    this.#last = ''
    const table = this.#tables.at(-1)
    if (name === 'table') this.#beginTable(table)
    else if (table) this.#beginInTable(table, name, attributes)
    else if (name === 'br') this.#text += ' '
    else if (name !== 'dd' || !this.#text.endsWith(': ')) this.#flush()
    if (name === 'li' && !table) this.#text = '- '
  }

  #beginTable(outer: HtmlTable | undefined): void {
    // A table inside a cell: the outer table is only layout.
    if (outer?.isInCell) this.#dissolve(outer)
    this.#flush()
    this.#tables.push(new HtmlTable())
  }

  #beginInTable(table: HtmlTable, name: string, { colspan, rowspan }: Attributes): void {
    if (/^h[1-6]$/.test(name)) this.#dissolve(table)
    if (table.isLayout) this.#flush()
    else if (name === 'tr') table.beginRow()
    else if (name === 'td' || name === 'th') {
      this.#text = ''
      table.beginCell(name === 'th', Number(colspan), Number(rowspan))
    } else if (name === 'caption') this.#text = ''
    else this.#text += ' '
  }

  #endBlock(name: string): void {
    this.#last = ''
    const table = this.#tables.at(-1)
    if (name === 'table') this.#endTable()
    else if (table && !table.isLayout) {
      if (name === 'td' || name === 'th') {
        table.endCell(shown(this.#text))
        // Of the separator, ` | `.
        this.#grow(3)
      } else if (name === 'caption') table.caption = shown(this.#text)
      else this.#text += ' '
    } else if (/^h[1-6]$/.test(name)) this.#setHeading(Number(name[1]))
    else if (name === 'dt') this.#text = `${shown(this.#text)}: `
    else if (name !== 'br') this.#flush()
  }

  #setHeading(level: number): void {
    this.#headings.length = Math.min(this.#headings.length, level - 1)
    this.#headings[level - 1] = shown(this.#text).slice(0, 150)
    this.#text = ''
    this.#linked = 0
  }

  /** The two innermost headings, without the page's title. */
  #heading(caption = ''): string {
    const under = this.#headings.filter((text, at) => text && (at > 0 || !this.#data.title.includes(text)))
    return [...under.slice(-2), caption].filter(Boolean).join(' › ')
  }

  #flush(): void {
    const text = shown(this.#text)
    const linked = this.#linked
    this.#text = ''
    this.#linked = 0
    if (!/[\p{L}\p{N}]/u.test(text)) return
    const isMenu = linked > 0.6 * text.length && text.length < 200
    const isOmitted = this.#omits === 'all' || (this.#omits === 'links' && isMenu)
    this.#blocks.push({ heading: this.#heading(), text, isOmitted })
  }

  #dissolve(table: HtmlTable): void {
    const isOmitted = this.#open.at(-1)?.omits === 'all'
    for (const text of table.dissolve()) this.#blocks.push({ heading: this.#heading(), text, isOmitted })
    this.#flush()
  }

  #endTable(): void {
    const table = this.#tables.pop()
    if (!table || table.isLayout) {
      this.#flush()
      return
    }
    const { header, rows } = table.lines()
    this.#text = ''
    this.#linked = 0
    const isOmitted = this.#open.at(-1)?.omits === 'all'
    if (rows.length > 0)
      this.#blocks.push({ heading: this.#heading(table.caption), text: header, rows, isOmitted })
  }
}

function opened(
  name: string,
  attributes: Attributes,
  parent: OpenElement | undefined,
  isUnshown: boolean,
): OpenElement {
  const [names = '', style = ''] = [attributes.class, attributes.style].map(text => text?.slice(0, 1000))
  const isUnspoken = attributes['aria-hidden'] === 'true'
  const isHere = !parent?.isDropped && !isUnshown
  // A tab's panel is collapsed, not hidden; a formula has a picture.
  const isCollapsed = attributes.role === 'tabpanel' || FORMULA_NAME.test(names)
  const isGone = attributes.hidden !== undefined || HIDDEN_STYLE.test(style)
  const isHidden = !isCollapsed && (isGone || HIDDEN_NAME.test(names))
  // People see text that is not read out. A block that is not is a closed dialog, or a copy.
  const isSeen = isCollapsed || (INLINE.has(name) && name !== 'img' && !REPEATING_NAME.test(names))
  return {
    name,
    isHidden,
    isDropped: !isHere || isHidden || (isUnspoken && !isSeen),
    isSpoken: isHere && SPOKEN_NAME.test(names) && !isGone,
    isUnspoken: isUnspoken && INLINE.has(name) && !parent?.isUnspoken,
    ...omittedOf(name, attributes, parent),
    isArticle: parent?.isArticle || name === 'article' || name === 'main',
    isStruck: parent?.isStruck || STRUCK.has(name) || STRUCK_STYLE.test(style),
    script: scriptOf(name, style),
    isItem: parent?.isItem || attributes.itemscope !== undefined,
  }
}

/** What is left out of an element, and whether it is around the page's own text by its name or role, or inside one that is. */
function omittedOf(
  name: string,
  { id = '', class: names = '', role = '' }: Attributes,
  parent: OpenElement | undefined,
): Pick<OpenElement, 'omits' | 'isCertain'> {
  const isFrame = FRAME.has(name) || FRAME_ROLE.test(role)
  // People see what is in a noscript only without scripts.
  const isCertain = parent?.isCertain || name === 'noscript' || (isFrame && !parent?.isArticle)
  if (isCertain) return { omits: 'all', isCertain }
  if (name === 'main' || name === 'article') return { omits: undefined, isCertain }
  const isNamed = name !== 'html' && name !== 'body' && FRAME_NAME.test(`${id} ${names}`.slice(0, 1000))
  const isAround = isFrame || isNamed
  if (parent?.isArticle) return { omits: isAround || MIXED.has(name) ? 'links' : parent.omits, isCertain }
  return { omits: isAround && !MIXED.has(name) ? 'all' : (parent?.omits ?? 'links'), isCertain }
}

/** Whether an inline element's text stands high or low. */
function scriptOf(name: string, style: string): 'sup' | 'sub' | undefined {
  if (name === 'sup' || name === 'sub') return name
  const [, script] = INLINE.has(name) ? (RAISED_STYLE.exec(style) ?? []) : []
  if (script === undefined) return undefined
  return script.toLowerCase() === 'super' ? 'sup' : 'sub'
}

/** In XHTML, names may have a prefix. */
function nameInMath(name: string): string {
  return name.replace(/^(?:m|mml):/, '')
}

/** Whether a page's text says what a block with or without a label does: a single word as such. */
function isWritten(text: string, written: string): boolean {
  const value = text.replace(/^[\w ]+: /, '')
  return /\s/.test(value) ? written.includes(value) : ` ${written} `.includes(` ${value} `)
}

/** A line of marked text, as people see it. */
function shown(marked: string): string {
  return visible(written(marked))
}

/** Whether what follows a span goes on with its number: `12` and `,99`, `12.` and `99 €`, `−` and `5`. */
function isRunningOn(before: string, next: string): boolean {
  if (/\d$/.test(before)) return /^[.,]\d/.test(next)
  // `1.` may also be an item's number, before its text.
  if (/\d[.,]$/.test(before)) return /^\d+\s?(?:[\p{Sc}%]|$)/u.test(next)
  return before.endsWith('−') && /^\d/.test(next)
}
