import { parseExactJson } from '@agent-task-service/wire/untrusted'

/** Levels of lists and dictionaries that are read. */
const MAX_LEVELS = 100
/** How strings are quoted: in Python, in JSON, and by Gemma's tokens. */
const QUOTES = ['"""', "'''", '"', "'", '<escape>', '<|"|>'] as const
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '0': '\0',
  '\n': '',
}
export const WORDS: Readonly<Record<string, unknown>> = {
  True: true,
  true: true,
  False: false,
  false: false,
  None: null,
  null: null,
}

/** A text without quotes, up to what ends a member. */
const BARE = /[^,{}[\]()\n]+/y

/** The value of a Python literal, or of JSON with bare names and other quotes; `undefined` if it is none. */
export function readLiteral(text: string): unknown {
  const reader = new LiteralReader(text)
  const value = reader.value()
  return reader.isAtEnd ? value : undefined
}

/**
 * Reads literals from a text, one after the other. A method that finds something else than it reads returns `undefined`, and
 * so does each one after it.
 */
export class LiteralReader {
  readonly #text: string
  readonly #hasBareTexts: boolean
  #at: number
  #levels = 0
  #hasFailed = false

  /** @param hasBareTexts whether a member may be a text without quotes, as Gemma writes it */
  constructor(text: string, at = 0, hasBareTexts = false) {
    this.#text = text
    this.#at = at
    this.#hasBareTexts = hasBareTexts
  }

  /** Where it goes on. */
  get at(): number {
    return this.#at
  }

  get isAtEnd(): boolean {
    this.#skipSpace()
    return !this.#hasFailed && this.#at === this.#text.length
  }

  /** @param isBehindBareName whether its name has no quotes: then a text may have none either */
  value(isBehindBareName = true): unknown {
    this.#skipSpace()
    const quote = QUOTES.find(quote => this.#text.startsWith(quote, this.#at))
    if (quote !== undefined) return this.#string(quote)
    if (this.take('{')) return this.#nested(() => this.members())
    if (this.take('[')) return this.#nested(() => this.#items(']', () => this.value()))
    if (this.take('(')) return this.#nested(() => this.#items(')', () => this.value()))
    return this.#word(this.#hasBareTexts && isBehindBareName)
  }

  /** The rest of a dictionary, behind its opening brace. */
  members(): Record<string, unknown> | undefined {
    return this.#entries('}', () => {
      const bare = this.name()
      const name = bare ?? this.value()
      return this.take(':') ? [String(name), this.value(bare !== undefined)] : this.#fail()
    })
  }

  /**
   * The rest of a call, behind its opening parenthesis.
   *
   * @param only the parameter of a tool that has one: its argument needs no name
   */
  arguments(only?: string): Record<string, unknown> | undefined {
    let count = 0
    return this.#entries(')', () => {
      count += 1
      const start = this.#at
      const name = this.name()
      if (name !== undefined && (this.take('=') || this.take(':'))) return [name, this.value()]
      if (only === undefined || count > 1) return this.#fail()
      this.#at = start
      return [only, this.value()]
    })
  }

  #entries(closing: string, read: () => [string, unknown] | undefined): Record<string, unknown> | undefined {
    const entries = this.#items(closing, read)
    return entries && Object.fromEntries(entries)
  }

  /** What is between commas, up to the closing bracket. */
  #items<Item>(closing: string, read: () => Item | undefined): Item[] | undefined {
    const items: Item[] = []
    while (!this.take(closing)) {
      const item = read()
      if (item === undefined || (!this.take(',') && !this.#isNext(closing))) return this.#fail()
      items.push(item)
    }
    return this.#hasFailed ? undefined : items
  }

  /** A name, perhaps with dots in it. */
  name(): string | undefined {
    this.#skipSpace()
    const found = this.#match(/[\p{L}_][\p{L}\p{N}_.-]*/uy)
    if (found !== undefined && !Object.hasOwn(WORDS, found)) return found
    this.#at -= found?.length ?? 0
    return undefined
  }

  /** Whether this comes next; then it is read. */
  take(word: string): boolean {
    if (!this.#isNext(word)) return false
    this.#at += word.length
    return true
  }

  #isNext(word: string): boolean {
    this.#skipSpace()
    return !this.#hasFailed && this.#text.startsWith(word, this.#at)
  }

  #nested<Value>(read: () => Value): Value | undefined {
    this.#levels += 1
    if (this.#levels > MAX_LEVELS) return this.#fail()
    const value = read()
    this.#levels -= 1
    return value
  }

  #string(quote: string): string | undefined {
    const start = this.#at + quote.length
    let end = this.#text.indexOf(quote, start)
    while (end > start && isEscaped(this.#text, end, start)) end = this.#text.indexOf(quote, end + 1)
    if (end < 0) return this.#fail()
    this.#at = end + quote.length
    const written = this.#text.slice(start, end)
    return quote.startsWith('<') ? written : unescaped(written)
  }

  #word(mayBeText: boolean): unknown {
    const start = this.#at
    const value = this.#constant()
    if (!mayBeText) return value === undefined ? this.#fail() : value
    this.#skipSpace()
    if (value !== undefined && /[,}\])]/.test(this.#text[this.#at] ?? ',')) return value
    this.#at = start
    return this.#match(BARE)?.trim() || this.#fail()
  }

  #constant(): unknown {
    const word = this.#match(/[A-Za-z]+/y)
    if (word !== undefined) return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined
    const number = this.#match(/[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
    return number && parseExactJson(number.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1'))
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    this.#at += found?.length ?? 0
    return found
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1
  }

  #fail(): undefined {
    this.#hasFailed = true
    this.#at = this.#text.length
    return undefined
  }
}

/** Whether the character is behind an odd number of backslashes. */
function isEscaped(text: string, at: number, from: number): boolean {
  let start = at
  while (start > from && text[start - 1] === '\\') start -= 1
  return (at - start) % 2 === 1
}

/** Without its escapes. A text with one that no language knows has none: `C:\Users\test`. */
function unescaped(written: string): string {
  if (/\\(?!u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|[ntrbf0\n"'\\/`])/.test(written.replaceAll('\\\\', '')))
    return written
  return written.replace(
    /\\(?:u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2})|([\s\S]))/g,
    (_whole, four, two, other: string) => {
      const code = four ?? two
      return code === undefined ? (ESCAPES[other] ?? other) : String.fromCharCode(Number.parseInt(code, 16))
    },
  )
}
