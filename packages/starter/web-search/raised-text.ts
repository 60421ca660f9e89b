/**
 * What raised, lowered and struck text says once its markup is gone: `10^6`, `log_2 8`, `(was 99 EUR) 79 EUR`. Joined to
 * what it stands at, it would be another number. Until a text is whole, characters for private use mark where such text
 * begins and ends; a page's own are left out, as `visible` does in any case.
 */
export const MARK = {
  sup: ['\uE000', '\uE001'],
  sub: ['\uE002', '\uE003'],
  struck: ['\uE004', '\uE005'],
  small: ['\uE007', '\uE008'],
  /** What is shown, but not read out: an icon, or what other text says for those who listen. */
  unspoken: ['\uE009', '\uE00A'],
} as const
/** Inside raised text: it links to a note. */
export const NOTE = '\uE006'

const ANY_MARK = /[\uE000-\uE00A]/g
const SCRIPT_MARK = /([\uE000-\uE003])/
/** How many raised and lowered texts may stand inside each other. */
const MAX_NESTED = 8
/** How much of the text before is looked at, in characters. */
const MAX_BEFORE = 60

const ORDINALS = new Set('st nd rd th er re ers res ère ères e es ème èmes eme nde'.split(' '))
/** What is written small and high, but means nothing by it. */
const SUFFIXES = new Set('tm sm (r) (c) (tm) me mes lle lles'.split(' '))
/** Words that have powers; after any other, a raised number is the mark of a note. */
const POWERED = new Set(
  'mm cm dm km nm pm µm μm ft yd mi in kg mg ms kV mV kW MW Pa Hz eV ha mol rad deg sr мм см дм км sin cos tan cot sec csc sinh cosh tanh log ln lg exp mc'.split(
    ' ',
  ),
)
/** One piece: a number, a letter or a name, with a sign, or in parentheses. */
const PIECE = /^(?:[-+±]?(?:\p{N}+(?:[.,]\p{N}+)?|\p{L})[-+−]?|[-+]+|\([^()]*\)|.)$/u
const SENTENCE = /\p{L}{2,}\s+\p{L}{2,}|^.{40}/su
/** `1`, `(a)`, `1,2`, `3–5` */
const NOTE_MARK = /^\(?(?:\d{1,3}|\p{Ll})(?:\s*[,;–-]\s*(?:\d{1,3}|\p{Ll}))*\)?$/u
/** What is more than an icon or a bullet. */
const SAYING = /[\p{L}\p{N}\p{Sc}.,:/⁄%°<>=≤≥≈±×÷+−–-]/u
/** Brackets, and signs that are no letters or digits, stand for themselves: `[1]`, `†`, `®`. */
const ITSELF = /^\[.*\]$|^[^\p{L}\p{N}+−–-]+$/u
/** The end of a chemical formula or of a name such as `Q` or `PM`. */
const FORMULA = /(?<!\p{L})(?:[A-Z][a-z]?\d{0,3})*(?:[A-Z][a-z]?|\((?:[A-Z][a-z]?\d{0,3})+\))$/u

/** Leaves out the characters that serve as marks. */
export function unmarked(text: string): string {
  return text.replace(ANY_MARK, '')
}

/** Puts marked text in words. */
export function written(text: string): string {
  if (text.search(ANY_MARK) < 0) return text
  const whole = text.replace(/\uE005(\s*)\uE004/g, '$1')
  return unmarked(withScripts(withStruck(withSmall(withUnspoken(whole)))))
}

/** Leaves out icons, and a sign that was read out. */
function withUnspoken(text: string): string {
  return text
    .replace(/(?<=[/⁄+−-])\uE009\s*[/⁄+−-]\s*\uE00A/g, '')
    .replace(/\uE009([^\uE009\uE00A]*)\uE00A/g, (_, content: string) => (SAYING.test(content) ? content : ''))
    .replace(/[\uE009\uE00A]/g, '')
}

/** Small digits at others are cents, as raised ones. */
function withSmall(text: string): string {
  return text
    .replace(/(?<=\d)\uE007(?=\d)([^\uE007\uE008]*)\uE008/g, `${MARK.sup[0]}$1${MARK.sup[1]}`)
    .replace(/[\uE007\uE008]/g, '')
}

function withStruck(text: string): string {
  return text.replace(
    /\uE004([^\uE004\uE005]*)\uE005(?=([\p{L}\p{N}\p{Sc}\uE000])?)/gu,
    (_, struck: string, next) => {
      const content = struck.trim()
      return content === '' ? ' ' : ` (was ${content})${next === undefined ? '' : ' '}`
    },
  )
}

/** Text that grows, with its end at hand. */
class Growing {
  tail = ''
  readonly mark: string
  readonly #parts: string[] = []

  constructor(mark: string) {
    this.mark = mark
  }

  add(text: string): void {
    this.#parts.push(text)
    this.tail = (this.tail + text.slice(-MAX_BEFORE)).slice(-MAX_BEFORE)
  }

  get text(): string {
    return this.#parts.join('')
  }
}

function withScripts(text: string): string {
  const open = [new Growing('')]
  const pieces = text.split(SCRIPT_MARK)
  for (const [at, piece] of pieces.entries()) {
    const inner = open.at(-1)!
    const isMark = at % 2 === 1
    if (!isMark) inner.add(piece)
    else if (piece === MARK.sup[0] || piece === MARK.sub[0]) {
      if (open.length <= MAX_NESTED) open.push(new Growing(piece))
    } else if (open.length > 1) {
      open.pop()
      const outer = open.at(-1)!
      outer.add(put(inner, outer.tail, pieces[at + 1] ?? '', pieces[at + 2]))
    }
  }
  return open.map(part => part.text).join('')
}

/** What stands high or low, in words. */
function put(inner: Growing, before: string, after: string, nextMark: string | undefined): string {
  const content = inner.text.replace(/\s+/g, ' ').trim()
  if (inner.mark === MARK.sub[0]) return lowered(before, content, after.charAt(0))
  const isNumerator =
    (/^\s?[/∕]\s?$/.test(after) && nextMark === MARK.sub[0]) ||
    (/^[/∕]\d/.test(after) && !/\d\s*$/.test(before))
  return raised(before, content, isNumerator ? '⁄' : after.charAt(0))
}

function raised(before: string, marked: string, next: string): string {
  const content = marked.replaceAll(NOTE, '').trim()
  if (content === '' || ITSELF.test(content)) return content
  if (marked.includes(NOTE)) return noteMark(content)
  if (SENTENCE.test(content)) return ` ${content} `
  if (isNumber(content) && next === '⁄') return /\d$/.test(before) ? ` ${content}` : content
  const amount = amountOf(before, content)
  if (amount !== undefined) return amount
  if (isSuffix(before, content)) return content
  if (NOTE_MARK.test(content) && isNoteAfter(before, content, next)) return noteMark(content)
  if (/\p{L}{2}$/u.test(before) && /^\p{L}{2,}$/u.test(content)) return ` ${content}`
  return `^${pieceOf(content)}${spaceBetween(before, next)}`
}

/** What continues the number before it, as cents or as a fraction. */
function amountOf(before: string, content: string): string | undefined {
  if (/\d$/.test(before)) {
    if (/^[.,]\d+$/.test(content)) return content
    // No one writes an exponent with a leading zero.
    if (/^0\d$/.test(content)) return `.${content}`
    if (/^[¼½¾⅐-⅞]$/.test(content)) return ` ${content}`
  }
  // Without a currency before it, the number may end a sentence, and this be a note.
  const isCents = /^\d\d$/.test(content) && /\p{Sc}\s?\d[\d.,]{0,12}[.,]$/u.test(before)
  const isFraction = /^\d{1,2}[/⁄]\d{1,3}$/.test(content) && /\d\s$/.test(before)
  return isCents || isFraction ? content : undefined
}

/** Keeps an exponent apart from what follows; what stands before its word, as in `^14C`, belongs to it. */
function spaceBetween(before: string, next: string): string {
  const isPrefix = !/\S$|\d\s*$/.test(before)
  return !isPrefix && /[\p{L}\p{N}]/u.test(next) ? ' ' : ''
}

function lowered(before: string, marked: string, next: string): string {
  const content = marked.replaceAll(NOTE, '').trim()
  if (content === '') return ''
  if (SENTENCE.test(content)) return ` ${content} `
  if (isNumber(content) && /\d\s?[/⁄∕]\s?$/.test(before)) return content
  const isFormula = /^\d+(?:[.,]\d+)?\p{L}*$/u.test(content) && FORMULA.test(before)
  if (isFormula) return `${content}${/\p{N}/u.test(next) ? ' ' : ''}`
  return `_${indexOf(content)}${/[\p{L}\p{N}]/u.test(next) ? ' ' : ''}`
}

/** What stands high, low or beside something, in parentheses unless it is one piece. */
export function pieceOf(content: string): string {
  const plain = content
    .trim()
    .replace(/^[−–]\s*/, '-')
    .replace(/^([-+±])\s+/, '$1')
  return plain === '' || PIECE.test(plain) ? plain : `(${plain})`
}

/** As `pieceOf`; a name is one piece, too. */
export function indexOf(content: string): string {
  return /^\s*\p{L}+\s*$/u.test(content) ? content.trim() : pieceOf(content)
}

function isNumber(content: string): boolean {
  return /^\d+$/.test(content)
}

function noteMark(content: string): string {
  return `[${content.replace(/[()]/g, '')}]`
}

function isSuffix(before: string, content: string): boolean {
  const small = content.toLowerCase()
  if (ORDINALS.has(small) && /\d$|(?<!\p{L})[IVXLCDM]+$/u.test(before)) return true
  return SUFFIXES.has(small) && /\p{L}$/u.test(before)
}

/** Whether a raised number or letter belongs to a note, by what it stands at. */
function isNoteAfter(before: string, content: string, next: string): boolean {
  const own = before.trimEnd()
  if (own !== before || own === '') return !/\d$/.test(own) && !/[\p{L}\p{N}]/u.test(next)
  if (/\d$/.test(own)) return content.startsWith('(')
  if (/[)\]]$/.test(own)) return isAside(own)
  // Cents may stand after a point.
  if (/\d[.,]$/.test(own)) return !/^\d\d$/.test(content)
  const [word = ''] = /\p{L}+$/u.exec(own) ?? []
  if (word === '') return /[.,;:!?…%'"’”»]$/.test(own)
  return word.length > 1 && !POWERED.has(word) && !isTerm(own.slice(0, -word.length), word)
}

/** Whether the brackets at the end of a text hold no term: words, a year, or what explains the word before. */
function isAside(text: string): boolean {
  const parts = /(?:(\p{L}{2,})\s)?[([]([^()[\]]*)[)\]]$/u.exec(text)
  if (!parts) return true
  const [, word = '', group = ''] = parts
  if (/\p{L}{3}|^\d{4}$/u.test(group)) return true
  return word !== '' && !POWERED.has(word) && !/[=+−×*-]/.test(group)
}

/** Whether letters are factors: after a digit or an operator, or one of them is Greek among others. */
function isTerm(before: string, word: string): boolean {
  if (word.length > 3) return false
  return (
    /\d$|[=+*/×·−<>≤≥≈^]\s*$/.test(before) || /(?:\p{Script=Greek}[a-z]|[a-z]\p{Script=Greek})/u.test(word)
  )
}
