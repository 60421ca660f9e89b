import type { TypedRows } from './typed-rows.ts'

/** Does what the sandbox cannot, in texts: `table`, `page`, `json`, `decimal`. */
type Ask = (what: string, ...args: readonly string[]) => string

/** What came of the code. With `error` there is no value. */
export interface Ending {
  readonly value?: string | undefined
  readonly printed: string
  /** Whether a number is shown to fewer digits than it has. */
  readonly inexact?: boolean
  readonly error?: string | undefined
  /** Of the error. */
  readonly stack?: string | undefined
}

/**
 * Runs inside the sandbox: gives the code what it sees, and starts it. It goes there as text, so it uses nothing of this file.
 *
 * @param counts how many tables and pages there are, in JSON
 * @param longest of a text that comes out, in characters
 * @returns a function that returns what came of the code, as an `Ending` in JSON, once no promise goes on
 */
export function start(ask: Ask, code: string, task: string, counts: string, longest: number): () => string {
  const { parse, stringify } = JSON
  const { assign, defineProperty, setPrototypeOf } = Object
  const evaluate: (code: string) => unknown = Reflect.get(globalThis, 'eval')
  /** Types that JSON has a form for, except of numbers that are not finite. */
  const IN_JSON = ['object', 'boolean', 'undefined']
  const printed: string[] = []
  let inexact = false
  let ending: { readonly value?: unknown; readonly error?: { readonly thrown: unknown } } | undefined

  /** Makes a value when it is first read. */
  function lazily(object: object, name: PropertyKey, make: () => unknown): void {
    const own = { enumerable: true, configurable: true }
    const set = (value: unknown) => void defineProperty(object, name, { ...own, value, writable: true })
    const get = () => {
      const value = make()
      set(value)
      return value
    }
    defineProperty(object, name, { ...own, get, set })
  }

  function list(name: string, count: number, make: (at: string) => unknown): unknown[] {
    const all: unknown[] = []
    for (let at = 0; at < count; at += 1) lazily(all, at, () => make(String(at)))
    setPrototypeOf(
      all,
      strict([], at => refuse(`there is no ${name}[${at}]: there are ${count} ${name}`)),
    )
    return all
  }

  /** An object whose other names are refused, or found by `other`: `undefined` would become a wrong number. */
  function strict<Base extends object>(base: Base, other: (name: string, own: object) => unknown): Base {
    return new Proxy(base, {
      get(target, name, own) {
        if (typeof name === 'symbol' || name in target || name === 'toJSON' || name === 'then')
          return Reflect.get(target, name)
        return other(name, own)
      },
    })
  }

  function refuse(message: string): never {
    throw new TypeError(message)
  }

  function tableAt(at: string): unknown {
    const { names, rows, doubtful }: TypedRows = parse(ask('table', at))
    const table = `tables[${at}]`
    const columns = `the columns are ${names.join(', ')}`
    const alike = (name: string) => name.trim().replace(/\s+/g, ' ').toLowerCase()
    const row = strict(Object.prototype, (name, own) => {
      const [known, another] = names.filter(one => alike(one) === alike(name))
      if (known === undefined || another !== undefined)
        return refuse(`there is no column ${stringify(name)}; ${columns}`)
      return Reflect.get(own, known)
    })
    for (const one of rows) setPrototypeOf(one, row)
    const list = strict([], name => {
      if (/^-?\d+$/.test(name)) return undefined
      return refuse(`${table} is an array of rows: write ${table}.map(row => row.${name})`)
    })
    setPrototypeOf(rows, list)
    const parts = rows.filter((_, at) => !doubtful.some(one => one.at === at))
    defineProperty(rows, 'all', { value: rows })
    defineProperty(rows, 'parts', { value: parts })
    if (doubtful.length === 0) return rows
    const labels = doubtful.map(({ label }) => label).join(', ')
    const all = `${table}.all to count them as data, ${table}.parts to leave them out`
    return strict({ all: rows, parts }, () =>
      refuse(`in ${table}, ${labels} may sum up others: write ${all}`),
    )
  }

  /** An exact number. Where one of JavaScript's is needed, it is the nearest. */
  class Exact {
    readonly text: string
    constructor(text: string) {
      this.text = text
    }
    toString() {
      return this.text
    }
    valueOf() {
      return Number(this.text)
    }
  }

  function exactly(name: string, values: readonly unknown[]): unknown {
    const texts = values.map(value => String(typeof value === 'number' ? rounded(value) : value))
    const { error, exact, value } = parse(ask('decimal', name, stringify(texts)))
    if (error !== undefined) throw new TypeError(error)
    return exact === undefined ? value : new Exact(exact)
  }
  for (const name of ['plus', 'minus', 'times', 'div', 'toFixed'])
    defineProperty(Exact.prototype, name, {
      value(...others: unknown[]) {
        return exactly(name, [this, ...others])
      },
    })

  /** What JSON has no form for becomes a text, or what is in it. */
  function plain(_: string, value: unknown): unknown {
    if (value instanceof Exact) return value.text === `${rounded(+value)}` ? +value : value.text
    if (value instanceof Map) return Object.fromEntries(value)
    if (value instanceof Set) return [...value]
    return withoutNoise(value)
  }

  function withoutNoise(value: unknown): unknown {
    if (typeof value === 'string') return value.replace(/(?<!\d)\d+\.\d+/g, shortened)
    if (Number.isFinite(value)) return noted(value as number)
    return value instanceof Error || !IN_JSON.includes(typeof value) ? String(value) : value
  }

  /** To the digits that a number keeps of any decimal: of 0.1 + 0.2, 0.3. */
  function rounded(value: number): number {
    return Number(value.toPrecision(15))
  }

  function noted(value: number): number {
    if (rounded(value) !== value) inexact = true
    return rounded(value)
  }

  /** A fraction in a text, if it is as JavaScript writes a number. */
  function shortened(fraction: string): string {
    return `${+fraction}` === fraction ? `${noted(+fraction)}` : fraction
  }

  function shown(value: unknown): string {
    const simple = plain('', value instanceof Date ? value.toJSON() : value)
    return typeof simple === 'string' ? simple : (stringify(simple, plain) ?? String(simple))
  }

  function cut(text: string): string {
    if (text.length <= longest) return text
    return `${text.slice(0, longest)} … (the first ${longest} of ${text.length} characters: return less)`
  }

  function report(): Omit<Ending, 'printed'> {
    if (!ending) return { error: 'a promise that never settles: there are no timers and no network' }
    const { value, error } = ending
    if (error) return failed(error.thrown)
    if (value === undefined && printed.length === 0)
      return { error: 'no value: end with an expression, or return one' }
    try {
      return { ...(value !== undefined && { value: cut(shown(value)) }), inexact }
    } catch (thrown) {
      return failed(thrown)
    }
  }

  function failed(thrown: unknown): Omit<Ending, 'printed'> {
    // What QuickJS throws when there is no memory for an error.
    if (thrown === null) return { error: 'out of memory' }
    const { name, message, stack } = (thrown instanceof Error ? thrown : {}) as Partial<Error>
    const undeclared = name === 'ReferenceError' && /^'(\w+)'/.exec(message ?? '')?.[1]
    const hint =
      (name === 'SyntaxError' && (message?.includes('octal') ? ': write a text' : ': write JavaScript')) ||
      (undeclared && code.includes(`${undeclared} =`) && `: write let ${undeclared}`)
    return { error: cut(`${thrown}${hint || ''}`), stack }
  }

  /**
   * In strict mode, where 01234 is no number. A fence around it is left out, an object as its last line is no block, and code
   * with `return` or `await` is that of a function.
   */
  function begin(): unknown {
    const bare = code.replace(/^\s*```\w*\n|\n?```\s*$/g, '')
    const withObject = bare.replace(/^(\{.*\});?\s*$(?![\s\S])/m, ';($1)')
    for (const script of new Set([withObject, bare])) {
      try {
        return evaluate(`'use strict';undefined;${script}`)
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
        printed.length = 0
      }
    }
    return evaluate(`(async () => {'use strict';${bare}\n})()`)
  }

  const log = (...values: unknown[]) => {
    if (printed.length < longest) printed.push(cut(values.map(shown).join(' ')))
  }
  const [tables, pages]: readonly [number, number] = parse(counts)
  assign(globalThis, {
    task,
    console: { log, info: log, warn: log, error: log, table: log },
    // Empty cells are null.
    sum: (values: Iterable<unknown>) =>
      exactly(
        'sum',
        Array.from(values).filter(value => value !== null),
      ),
    decimal: (value: unknown) => exactly('decimal', [value]),
  })
  lazily(globalThis, 'tables', () => list('tables', tables, tableAt))
  lazily(globalThis, 'pages', () => list('pages', pages, at => parse(ask('page', at))))
  lazily(globalThis, 'json', () => parse(ask('json')))
  const settle = (value: unknown) => {
    ending = { value }
  }
  const fail = (thrown: unknown) => {
    ending = { error: { thrown } }
  }
  try {
    const value = begin()
    if (value instanceof Promise) value.then(settle, fail)
    else settle(value)
  } catch (error) {
    fail(error)
  }
  return () => stringify({ ...report(), printed: cut(printed.join('\n')) })
}
