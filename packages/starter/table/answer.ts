import { ToolError } from '@agent-task-service/engine/tool'
import { headOf } from '../web-search/result-text.ts'
import { type CallConfig, RunPages } from '../web-search/run-pages.ts'
import type { TableArguments } from './arguments.ts'
import { chooseTable, type Placed } from './choose-table.ts'
import { tablesOn } from './page-tables.ts'
import { readTables } from './read-tables.ts'
import { MAX_TABLES, plain, type Table } from './table.ts'
import { comparisonsIn } from './where.ts'
import { worded } from './worded.ts'

/** As large as a request may be if its operator sets nothing; in characters. */
const MAX_TEXT = 2 ** 20

/** Reads the tables of the conversation and of the run's pages, chooses the one that has the columns, and does the operation. */
export function answer(args: TableArguments, config: CallConfig): string {
  const comparisons = isGiven(args.where) ? comparisonsIn(args.where) : []
  const group = isGiven(args.group) ? args.group : undefined
  // Rows have numbers in every table.
  const compared = comparisons.map(({ column }) => column).filter(name => plain(name) !== 'row')
  const others = group === undefined ? compared : [...compared, group]
  const tables = tablesIn(config)
  const isWeb = tables.some(({ page }) => page)
  const { table, column } = framed(isWeb, undefined, () => chooseTable(tables, args.column, others))
  return framed(table.page !== undefined, table, () =>
    worded(table, { call: args, column, comparisons, group }),
  )
}

/** Models fill in members that they do not use. */
function isGiven(member: string | undefined): member is string {
  return member !== undefined && member.trim() !== ''
}

/** The tables of messages and of pages: reading them takes most of a call's time. */
const known = new WeakMap<object, readonly Table[]>()

function readOnce(where: object, read: () => readonly Table[]): readonly Table[] {
  const tables = known.get(where) ?? read()
  known.set(where, tables)
  return tables
}

/** @throws {ToolError} if the task is too long */
function tablesIn(config: CallConfig): Placed[] {
  const messages = (config.state?.messages ?? []).filter(({ type, text }) => type === 'human' && text)
  const length = messages.reduce((sum, { text = '' }) => sum + text.length, 0)
  if (length > MAX_TEXT)
    throw new ToolError(
      `The task has ${length} characters, of which tables are read in at most ${MAX_TEXT}. Say so.`,
    )
  const ofTask = messages.flatMap(message => readOnce(message, () => readTables(message.text!)))
  const ofPages = RunPages.of(config).whole.flatMap(page =>
    readOnce(page.passages, () => tablesOn(page)).map(table => ({ table, page })),
  )
  return [...ofTask.map(table => ({ table, page: undefined })), ...ofPages]
    .slice(0, MAX_TABLES)
    .map(({ table, page }, at) => ({ ...table, number: at + 1, page }))
}

/**
 * A result, or the message of a failure, that holds text of a page says so above it. None of its lines stands at the
 * margin, so none can pass for another result.
 */
function framed<Result>(isWeb: boolean, table: Placed | undefined, work: () => Result): Result {
  if (!isWeb) return work()
  const page = table?.page
  const head = headOf(page ? `Rows of page ${page.number}` : 'Tables of pages', page?.address ?? 'table')
  const frame = (text: string) => `${head}\n\n   ${text.replaceAll('\n', '\n   ')}`
  try {
    const result = work()
    return (typeof result === 'string' ? frame(result) : result) as Result
  } catch (error) {
    throw error instanceof ToolError ? new ToolError(frame(error.message)) : error
  }
}
