import { truncate } from '@agent-task-service/wire/untrusted'
import variant from '@jitl/quickjs-singlefile-mjs-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSHandle } from 'quickjs-emscripten-core'
import { tablesIn } from '../table/find-tables.ts'
import { tablesOn } from '../table/page-tables.ts'
import { type FoundTable, MAX_TABLES, namesOf, tableOf } from '../table/table.ts'
import type { RunPage } from '../web-search/run-pages.ts'
import { decimal } from './decimal.ts'
import { type Ending, start } from './inside.ts'
import { jsonIn } from './json-in.ts'
import { type CodeResult, LIMITS, MAX_CPU_MS, MAX_MEMORY_MB } from './result.ts'
import { type TypedRows, typedRows } from './typed-rows.ts'

/** Of a sandbox, in units of 64 kB. It was built for so many at first. */
const MEMORY = { initial: 256, maximum: MAX_MEMORY_MB * 16 }
const MAX_STACK_BYTES = 256 * 1024
/** Of the value, and of what was printed, in characters. */
const LONGEST = 6_000
/** Of all together: code may change how the sandbox writes its own. */
const LONGEST_RESULT = 18_000
const MOST_LISTED = 10
const MOST_NAMES = 12
const MOST_WORDS = 8
/** Code that compares with a text. */
const WITH_TEXT = /[!=]=\s*['"`]|['"`]\s*[!=]=/
/** Results for which no row may have been chosen by mistake. */
const NOTHING = new Set(['0', 'NaN', '[]', '{}', 'null', ''])
/** In characters. */
const LONGEST_LINE = 600

/** Code, and what it sees. */
export interface CodeJob {
  readonly code: string
  /** The texts of the task. */
  readonly task: readonly string[]
  /** Those that the run has read. */
  readonly pages: readonly RunPage[]
}

/** A table that code may ask for. */
interface Offered {
  readonly found: FoundTable
  /** That it stands in; `undefined`: in the task. */
  readonly page: RunPage | undefined
}

/** Runs JavaScript in an interpreter that reaches nothing but what the job has. */
export async function runInSandbox({ code, task, pages }: CodeJob): Promise<CodeResult> {
  const given = task.map(jsonIn)
  const rests = given.map(({ rest }) => rest)
  const tables = offered(rests, pages)
  const values = given.flatMap(({ values }) => values)
  const isBroken = given.some(({ isBroken }) => isBroken)
  const json = values.length === 1 ? values[0] : values
  const read = new Set<string>()
  const words = new Set<string>()
  const numeric = new Set<string>()
  let isWeb = false
  const asked: Readonly<Record<string, (first: string, second: string) => unknown>> = {
    table(at) {
      const { found, page } = tables[Number(at)]!
      isWeb ||= page !== undefined
      const table = tableOf(found)
      if (table.fault !== undefined) throw new Error(`tables[${at}] cannot be relied on: ${table.fault}`)
      const { notes, numbers, ...typed } = typedRows(table)
      const cut = page?.isCut ? ['only the beginning of this page was read: rows may be missing'] : []
      for (const one of wordsOf(typed)) words.add(one)
      for (const name of numbers) numeric.add(name)
      read.add([titleOf(tables, Number(at), typed.rows.length), ...notes, ...cut].join('; '))
      return typed
    },
    page(at) {
      isWeb = true
      const { number, address, title, passages } = pages[Number(at)]!
      const text = passages.map(({ heading, text }) => `${heading}\n${text}`.trim()).join('\n\n')
      return { number, address, title, text }
    },
    json() {
      if (values.length === 0) throw new Error('the task holds no JSON that can be read')
      const broken = isBroken ? '; other brackets in the task hold no JSON that can be read' : ''
      read.add(`json (in the task): ${sizeOf(json)}${broken}`)
      return json
    },
    decimal,
  }
  const texts = [code, task.join('\n\n'), JSON.stringify([tables.length, pages.length])]
  const ending = await evaluated(texts, (what, first, second) => JSON.stringify(asked[what]!(first, second)))
  const { value, printed, inexact, error, stack } = ending
  const isError = error !== undefined
  const line = /<input>:(\d+)/.exec(stack ?? '')?.[1]
  const areNumbers =
    error?.endsWith('not a function') &&
    numeric.size > 0 &&
    `: ${[...numeric].slice(0, MOST_NAMES).join(', ')} hold numbers`
  const where = line === undefined ? '' : ` (line ${line})`
  const lines = [
    isError ? `${error}${areNumbers || ''}${where}.\n${available(tables, json, pages)}` : value,
    printed && `Printed:\n${printed}`,
    inexact && 'Note: numbers are shown to 15 digits; sum() and decimal() are exact.',
    value !== undefined &&
      NOTHING.has(value) &&
      WITH_TEXT.test(code) &&
      words.size > 0 &&
      `Note: texts are equal only if written alike: ${listed([...words]).join('; ')}.`,
    ...(isError ? [] : listed([...read].map(what => `Read: ${what.replace(/\.$/, '')}.`))),
  ]
  const text = truncate(lines.filter(Boolean).join('\n'), LONGEST_RESULT)
  return { text, isError, isWeb: isWeb || (isError && pages.length > 0) }
}

function offered(texts: readonly string[], pages: CodeJob['pages']): Offered[] {
  const ofTask = texts.flatMap(tablesIn).map(found => ({ found, page: undefined }))
  const ofPages = pages.flatMap(page => tablesOn(page).map(found => ({ found, page })))
  return [...ofTask, ...ofPages].slice(0, MAX_TABLES)
}

/** What columns of few texts hold. */
function wordsOf({ names, rows }: Pick<TypedRows, 'names' | 'rows'>): string[] {
  return names.flatMap(name => {
    const texts = new Set<unknown>()
    for (const { [name]: text } of rows) {
      texts.add(text)
      if (typeof text === 'number' || texts.size > MOST_WORDS) return []
    }
    return texts.size > 0 ? [`${name} holds ${[...texts].join(', ')}`] : []
  })
}

/** As the code names it. */
function titleOf(tables: readonly Offered[], at: number, rows: number): string {
  const { found, page } = tables[at]!
  const names = namesOf(found.cells[0] ?? [])
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : ''
  const place = page ? `in page ${page.number}` : 'in the task'
  return `tables[${at}] (${place}): ${rows} rows of ${names.slice(0, MOST_NAMES).join(', ')}${more}`
}

function sizeOf(value: unknown): string {
  return Array.isArray(value) ? `array of ${value.length}` : 'object'
}

/** What there is, for code that asked for something else. */
function available(tables: readonly Offered[], json: unknown, pages: CodeJob['pages']): string {
  const titles = tables.map(({ found }, at) => titleOf(tables, at, found.cells.length - 1))
  const others = [
    'task',
    ...(sizeOf(json) === 'array of 0' ? [] : [`json (${sizeOf(json)})`]),
    ...(pages.length > 0 ? [`pages (${pages.length})`] : []),
    'sum(values), decimal(x)',
  ].join(', ')
  return ['There are:', ...(titles.length > 0 ? listed(titles) : ['tables: none']), others].join('\n')
}

/** The first lines about tables, none too long. */
function listed(lines: readonly string[]): string[] {
  const more = lines.length - MOST_LISTED
  const some = lines.slice(0, MOST_LISTED).map(line => truncate(line, LONGEST_LINE))
  return more > 0 ? [...some, `... and ${more} more`] : some
}

/** Ends by itself at its limits, unless it is in one long step of the interpreter. */
async function evaluated(
  texts: readonly string[],
  ask: (what: string, first: string, second: string) => string,
): Promise<Ending> {
  const quickJs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory: emptied() }))
  const context = quickJs.newContext()
  const { runtime } = context
  const begunAt = process.threadCpuUsage()
  let readingUs = 0
  runtime.setMaxStackSize(MAX_STACK_BYTES)
  runtime.setInterruptHandler(() => {
    const { user, system } = process.threadCpuUsage(begunAt)
    return user + system - readingUs > MAX_CPU_MS * 1000
  })
  const call = (callee: QuickJSHandle, ...args: QuickJSHandle[]) =>
    context.unwrapResult(context.callFunction(callee, context.undefined, args))
  const asking = context.newFunction('ask', (...args) => {
    const [what = '', first = '', second = ''] = args.map(arg => context.getString(arg))
    const askedAt = process.threadCpuUsage()
    const answer = ask(what, first, second)
    const { user, system } = process.threadCpuUsage(askedAt)
    // Large tables take long to read.
    readingUs += user + system
    return context.newString(answer)
  })
  try {
    const starter = context.unwrapResult(context.evalCode(`(${start})`))
    const given = texts.map(text => context.newString(text))
    const finish = call(starter, asking, ...given, context.newNumber(LONGEST))
    context.unwrapResult(runtime.executePendingJobs())
    return JSON.parse(context.getString(call(finish)))
  } catch (failure) {
    const { message, stack } = failure as Error
    return { printed: '', error: `${message}: ${LIMITS}`, stack }
  }
}

// Node's types lack it.
const { Memory } = Reflect.get(globalThis, 'WebAssembly') as {
  Memory: new (size: typeof MEMORY) => { readonly buffer: ArrayBuffer }
}
const memory = new Memory(MEMORY)

/** The memory of every sandbox, without what an earlier one left: another would count beside it until it is collected. */
function emptied(): never {
  new Uint8Array(memory.buffer).fill(0)
  return memory as never
}
