import { Parser } from 'htmlparser2'
import { HtmlTable } from './html-table.ts'
import { MathText } from './math-text.ts'
import { type Block, dayOf, MAX_PAGE_TEXT, type PageText, toPassages, visible } from './passages.ts'
import { MARK, NOTE, unmarked, written } from './raised-text.ts'
import { structuredBlocks } from './structured-data.ts'

/** A page is read until it reaches one of these limits. No tree is built: what is left of a page is its text. */
const MAX_DEPTH = 300
/** Processor time that reading one page may take, in microseconds. */
const MAX_CPU_US = 120_000
const PIECE_LENGTH = 16_384

const DROPPED = new Set(
  'title script style noscript template iframe object embed svg canvas audio video select datalist button textarea dialog head'.split(
    ' ',
  ),
)
/** Elements around a page's own text. Inside an article, header and footer belong to the text. */
const FRAME = new Set(['nav', 'header', 'footer', 'aside'])
const FRAME_ROLE = /^(?:navigation|banner|contentinfo|complementary|search|menu|menubar|dialog|alertdialog)$/
/** A class or an id that names nothing else: `cookie-banner` does, `has-sidebar` and `share-price` do not. */
const FRAME_NAME =
  /(?:^|\s)(?:site-header|(?:(?:site|page|main|left|right|top|bottom|global|primary|bar|box|list|links|buttons|container|wrapper|widget)[_-]+)*(?:nav|navbar|navigation|menu|sidebar|breadcrumbs?|cookies?|consent|gdpr|newsletter|subscribe|share|sharing|social|related|recommended|promo|advert|ads?|banner|footer|masthead|pagination|toc|popup|modal)(?:[_-]+(?:nav|menu|bar|box|list|links|buttons|container|wrapper|widget|banner|popup|modal))*)(?=$|\s)/i
const HIDDEN_STYLE =
  /display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?(?=\s*(?:;|!|$))|font-size\s*:\s*0(?![.\d]*[1-9])|(?:left|top|text-indent)\s*:\s*-\d{3,}/i
const HIDDEN_NAME = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|hidden|d-none)(?=$|\s)/i
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark math meter output progress q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)
/** No longer holds. */
const STRUCK = new Set(['s', 'del', 'strike'])
const STRUCK_STYLE = /text-decoration[\w-]*\s*:[^;]*line-through/i
const RAISED_STYLE = /vertical-align\s*:\s*(super|sub)(?![\w-])/i
/** Its class, id or role says that raised text is the mark of a note. */
const NOTE_NAME = /(?:^|[\s_-])(?:reference|foot-?note|end-?note|note-?ref|fn-?ref)/i
/** Wikipedia hides its formulas behind pictures of them. */
const FORMULA_NAME = /(?:^|\s)mwe-math-mathml/
const DATES =
  /^(?:article:|og:)?(?:modified_time|published_time|updated_time|date|dc\.date(?:\.\w+)?|dcterms\.(?:created|date|issued|modified)|last-modified|pubdate|datepublished|datemodified)$/i
const STRUCTURED_DATE = /"date(?:Modified|Published)"\s*:\s*"([^"]{10,40})"/g

type Attributes = Readonly<Record<string, string>>

interface OpenElement {
  readonly name: string
  /** Its content is not text of the page. */
  readonly isDropped: boolean
  /** It probably appears on every page of the site. */
  isFrame: boolean
  /** Its element or its role says so, not only its name. */
  readonly isCertain: boolean
  readonly isArticle: boolean
  readonly isStruck: boolean
  readonly script: 'sup' | 'sub' | undefined
}

/** Reads a page's text from its HTML in one pass. */
export async function readHtml(html: string): Promise<PageText> {
  const reader = new HtmlReader()
  const parser = new Parser(reader, { decodeEntities: true, lowerCaseTags: true })
  const startedAt = process.threadCpuUsage()
  let at = 0
  for (; at < html.length && !reader.isFull; at += PIECE_LENGTH) {
    const { user, system } = process.threadCpuUsage(startedAt)
    if (user + system > MAX_CPU_US) break
    parser.write(html.slice(at, at + PIECE_LENGTH))
  }
  const isCut = reader.isFull || at < html.length
  if (!reader.isFull) parser.end()
  return { ...(await reader.result()), ...(isCut && { isCut }) }
}

class HtmlReader {
  isFull = false
  readonly #open: OpenElement[] = []
  readonly #blocks: (Block & { readonly isFrame: boolean })[] = []
  readonly #headings: string[] = []
  #date: string | undefined
  #tables: HtmlTable[] = []
  #text = ''
  #linked = 0
  #links = 0
  #length = 0
  #title = ''
  #otherTitle = ''
  #structured = ''
  #isTitle = false
  #isStructured = false
  /** Data sheets put name and value into spans, with nothing between them. */
  #isAfterSpan = false
  /** A link to a place on a page has begun, and no text yet. */
  #isLinkToNote = false
  #math: MathText | undefined
  /** The last character that was written. */
  #last = ''

  onopentag(name: string, attributes: Attributes): void {
    if (this.isFull) return
    const parent = this.#open.at(-1)
    const isCertain = isCertainFrame(name, attributes, parent)
    // What holds the page's own text is no frame, whatever its name.
    if (!isCertain && ['main', 'article', 'h1'].includes(name))
      for (const element of this.#open) element.isFrame = false
    if (name === 'span' && this.#isAfterSpan) this.#text += ' '
    const element = opened(name, attributes, parent, isCertain)
    this.#open.push(element)
    // Of `(was )`.
    if (element.isStruck && !parent?.isStruck) this.#length += 6
    if (this.#open.length > MAX_DEPTH) this.isFull = true
    this.#beginData(name, attributes)
    if (!element.isDropped) this.#begin(name, attributes, element)
  }

  #begin(name: string, attributes: Attributes, element: OpenElement): void {
    if (this.#math || isMath(name)) this.#beginMath(name, attributes)
    else if (element.script) this.#beginScript(element.script, attributes)
    else if (name === 'a') this.#beginLink(attributes)
    else if (!INLINE.has(name)) this.#beginBlock(name, attributes)
  }

  #beginScript(script: 'sup' | 'sub', { class: names = '', id = '', role = '' }: Attributes): void {
    const isNote = this.#isLinkToNote || NOTE_NAME.test(`${names} ${id} ${role}`.slice(0, 1000))
    this.#write(`${MARK[script][0]}${isNote ? NOTE : ''}`)
    this.#length += 2
  }

  #beginLink({ href = '' }: Attributes): void {
    this.#links += 1
    this.#isLinkToNote = href.includes('#')
    if (this.#isLinkToNote && this.#last === MARK.sup[0]) this.#text += NOTE
  }

  #beginMath(name: string, attributes: Attributes): void {
    this.#math ??= new MathText()
    this.#math.open(nameOf(name), attributes)
  }

  #endMath(formula: string | undefined): void {
    if (formula === undefined) return
    this.#math = undefined
    const isRunning = /[\p{L}\p{N}]/u.test(this.#last) && /^\s*[\p{L}\p{N}]/u.test(formula)
    this.#write(`${isRunning ? ' ' : ''}${formula}`)
    this.#length += formula.length
  }

  #write(text: string, isStruck = this.#open.at(-1)?.isStruck): void {
    const [begin, end] = MARK.struck
    this.#text += isStruck ? `${begin}${text}${end}` : text
    this.#last = text.slice(-1)
  }

  /** What tells about the page: its title, its meta elements, and its scripts of structured data. */
  #beginData(name: string, attributes: Attributes): void {
    if (name === 'title' && this.#title === '') this.#isTitle = true
    if (name === 'meta') this.#readMeta(attributes)
    if (name === 'script') this.#isStructured = attributes.type === 'application/ld+json'
    if (this.#isStructured) this.#structured += '\0'
  }

  ontext(sent: string): void {
    if (this.isFull) return
    const text = unmarked(sent)
    this.#isAfterSpan = false
    if (this.#isTitle) this.#title = (this.#title + text).slice(0, 500)
    if (this.#isStructured) this.#structured = (this.#structured + text).slice(0, MAX_PAGE_TEXT)
    const element = this.#open.at(-1)
    if (element?.isDropped) return
    this.#length += text.length
    if (this.#length > MAX_PAGE_TEXT) this.isFull = true
    if (this.#math) {
      this.#math.write(text)
      return
    }
    if (text.trim() !== '') this.#isLinkToNote = false
    this.#write(text)
    if (this.#links > 0) this.#linked += text.trim().length
  }

  onclosetag(name: string): void {
    if (this.isFull) return
    const element = this.#open.pop()
    this.#isAfterSpan = name === 'span'
    if (name === 'title') this.#isTitle = false
    if (name === 'script') this.#isStructured = false
    if (!element || element.isDropped) return
    if (this.#math) this.#endMath(this.#math.close())
    else if (name === 'a') {
      this.#links -= 1
      this.#isLinkToNote = false
    } else if (element.script) this.#write(MARK[element.script][1], element.isStruck)
    else if (!INLINE.has(name)) this.#endBlock(name, element)
  }

  async result(): Promise<PageText> {
    if (this.#math) this.#endMath(this.#math.end())
    while (this.#tables.length > 0) this.#endTable(false)
    this.#flush(false)
    const own = this.#blocks.filter(({ isFrame }) => !isFrame)
    const length = own.reduce((sum, { text, rows = [] }) => sum + text.length + rows.join('').length, 0)
    for (const [, text] of this.#structured.matchAll(STRUCTURED_DATE)) this.#noteDate(text)
    const written = own.map(({ text, rows = [] }) => [text, ...rows].join(' ')).join(' ')
    const described = structuredBlocks(this.#structured.split('\0'))
    const added = described.filter(({ text }) => !written.includes(text.replace(/^[\w ]+: /, '')))
    return {
      title: visible(this.#title) || visible(this.#otherTitle),
      date: this.#date,
      // If little else is left, the page keeps its text in elements that usually frame it.
      passages: await toPassages([...(length < 200 ? this.#blocks : own), ...added]),
    }
  }

  #beginBlock(name: string, attributes: Attributes): void {
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

  #endBlock(name: string, { isFrame }: OpenElement): void {
    const table = this.#tables.at(-1)
    if (name === 'table') this.#endTable(isFrame)
    else if (table && !table.isLayout) {
      if (name === 'td' || name === 'th') {
        table.endCell(shown(this.#text))
        // Of the separator, ` | `.
        this.#length += 3
      } else if (name === 'caption') table.caption = shown(this.#text)
      else this.#text += ' '
    } else if (/^h[1-6]$/.test(name)) this.#setHeading(Number(name[1]))
    else if (name === 'dt') this.#text = `${shown(this.#text)}: `
    else if (name !== 'br') this.#flush(isFrame)
  }

  #setHeading(level: number): void {
    this.#headings.length = Math.min(this.#headings.length, level - 1)
    this.#headings[level - 1] = shown(this.#text).slice(0, 150)
    this.#text = ''
    this.#linked = 0
  }

  /** The two innermost headings, without the page's title. */
  #heading(caption = ''): string {
    const under = this.#headings.filter((text, at) => text && (at > 0 || !this.#title.includes(text)))
    return [...under.slice(-2), caption].filter(Boolean).join(' › ')
  }

  #flush(isFrame = this.#open.at(-1)?.isFrame ?? false): void {
    const text = shown(this.#text)
    const linked = this.#linked
    this.#text = ''
    this.#linked = 0
    if (!/[\p{L}\p{N}]/u.test(text)) return
    const isMenu = linked > 0.6 * text.length && text.length < 200
    this.#blocks.push({ heading: this.#heading(), text, isFrame: isFrame || isMenu })
  }

  #dissolve(table: HtmlTable): void {
    for (const text of table.dissolve()) this.#blocks.push({ heading: this.#heading(), text, isFrame: false })
    this.#flush()
  }

  #endTable(isFrame: boolean): void {
    const table = this.#tables.pop()
    if (!table || table.isLayout) {
      this.#flush(isFrame)
      return
    }
    const { header, rows } = table.lines()
    this.#text = ''
    this.#linked = 0
    if (rows.length > 0)
      this.#blocks.push({ heading: this.#heading(table.caption), text: header, rows, isFrame })
  }

  #readMeta({ name, property, itemprop, content = '' }: Attributes): void {
    const key = property ?? name ?? itemprop ?? ''
    if (key === 'og:title') this.#otherTitle = content.slice(0, 500)
    if (DATES.test(key)) this.#noteDate(content)
  }

  /** The latest one is that of the last change. */
  #noteDate(text: string | undefined): void {
    const day = dayOf(text)
    if (day && day > (this.#date ?? '')) this.#date = day
  }
}

function opened(
  name: string,
  attributes: Attributes,
  parent: OpenElement | undefined,
  isCertain: boolean,
): OpenElement {
  const style = (attributes.style ?? '').slice(0, 1000)
  return {
    name,
    isDropped: parent?.isDropped || DROPPED.has(name) || isHidden(attributes),
    isFrame: isCertain || parent?.isFrame || isNamedFrame(name, attributes, parent),
    isCertain,
    isArticle: parent?.isArticle || name === 'article' || name === 'main',
    isStruck: parent?.isStruck || STRUCK.has(name) || STRUCK_STYLE.test(style),
    script: scriptOf(name, style),
  }
}

/** Whether an element is around the page's own text by its name or role, or inside one that is. */
function isCertainFrame(name: string, { role = '' }: Attributes, parent: OpenElement | undefined): boolean {
  if (parent?.isCertain || name === 'aside') return true
  return !parent?.isArticle && (FRAME.has(name) || FRAME_ROLE.test(role))
}

/** Whether an element's class or id is that of one around the page's own text. */
function isNamedFrame(name: string, attributes: Attributes, parent: OpenElement | undefined): boolean {
  if (parent?.isArticle || ['html', 'body', 'main', 'article'].includes(name)) return false
  return FRAME_NAME.test(`${attributes.id ?? ''} ${attributes.class ?? ''}`.slice(0, 1000))
}

/** Whether an inline element's text stands high or low. */
function scriptOf(name: string, style: string): 'sup' | 'sub' | undefined {
  if (name === 'sup' || name === 'sub') return name
  const [, script] = INLINE.has(name) ? (RAISED_STYLE.exec(style) ?? []) : []
  if (script === undefined) return undefined
  return script.toLowerCase() === 'super' ? 'sup' : 'sub'
}

/** In XHTML, names may have a prefix. */
function nameOf(name: string): string {
  return name.replace(/^(?:m|mml):/, '')
}

function isMath(name: string): boolean {
  return nameOf(name) === 'math'
}

/** A line of marked text, as people see it. */
function shown(marked: string): string {
  return visible(written(marked))
}

/** A tab's panel is collapsed, not hidden. */
function isHidden({ hidden, style = '', class: names = '', role, ...attributes }: Attributes): boolean {
  if (role === 'tabpanel' || FORMULA_NAME.test(names.slice(0, 1000))) return false
  return (
    hidden !== undefined ||
    attributes['aria-hidden'] === 'true' ||
    HIDDEN_STYLE.test(style.slice(0, 1000)) ||
    HIDDEN_NAME.test(names.slice(0, 1000))
  )
}
