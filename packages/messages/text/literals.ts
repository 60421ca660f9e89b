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
const WORDS: Readonly<Record<string, unknown>> = {
  True: true,
  true: true,
  False: false,
  false: false,
  None: null,
  null: null,
}

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
  #at = 0
  #levels = 0
  #hasFailed = false

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    this.#skipSpace()
    return !this.#hasFailed && this.#at === this.#text.length
  }

  value(): unknown {
    this.#skipSpace()
    const quote = QUOTES.find(quote => this.#text.startsWith(quote, this.#at))
    if (quote !== undefined) return this.#string(quote)
    if (this.take('{')) return this.#nested(() => this.members())
    if (this.take('[')) return this.#nested(() => this.#items(']'))
    if (this.take('(')) return this.#nested(() => this.#items(')'))
    return this.#word()
  }

  /** The rest of a dictionary, behind its opening brace. */
  members(): Record<string, unknown> | undefined {
    return this.#entries('}', () => {
      const name = this.name() ?? this.value()
      return this.take(':') ? [String(name), this.value()] : this.#fail()
    })
  }

  /**
   * The rest of a call, behind its opening parenthesis.
   *
   * @param names of the parameters, for arguments without a name
   */
  arguments(names: readonly string[]): Record<string, unknown> | undefined {
    let unnamed = 0
    return this.#entries(')', () => {
      const name = this.name()
      if (name !== undefined) return this.take('=') ? [name, this.value()] : this.#fail()
      const parameter = names[unnamed]
      unnamed += 1
      return parameter === undefined ? this.#fail() : [parameter, this.value()]
    })
  }

  #entries(closing: string, read: () => [string, unknown] | undefined): Record<string, unknown> | undefined {
    const entries: [string, unknown][] = []
    while (!this.take(closing)) {
      const entry = read()
      if (entry === undefined || (!this.take(',') && !this.#isNext(closing))) return this.#fail()
      entries.push(entry)
    }
    return this.#hasFailed ? undefined : Object.fromEntries(entries)
  }

  /** A name, perhaps with dots in it. */
  name(): string | undefined {
    this.#skipSpace()
    const found = this.#match(/[A-Za-z_][\w.-]*/y)
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

  #items(closing: string): unknown[] | undefined {
    const items: unknown[] = []
    while (!this.take(closing)) {
      items.push(this.value())
      if (!this.take(',') && !this.#isNext(closing)) return this.#fail()
    }
    return this.#hasFailed ? undefined : items
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

  #word(): unknown {
    const word = this.#match(/[A-Za-z]+/y)
    if (word !== undefined) return Object.hasOwn(WORDS, word) ? WORDS[word] : this.#fail()
    const number = this.#match(/[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
    return number === undefined
      ? this.#fail()
      : parseExactJson(number.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1'))
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

function unescaped(written: string): string {
  return written.replace(
    /\\(?:u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2})|([\s\S]))/g,
    (_whole, four, two, other: string) => {
      const code = four ?? two
      return code === undefined ? (ESCAPES[other] ?? other) : String.fromCharCode(Number.parseInt(code, 16))
    },
  )
}
