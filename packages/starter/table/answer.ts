import { ToolError } from '@agent-task-service/engine/tool'
import { headOf } from '../web-search/result-text.ts'
import { type CallConfig, type Message, RunPages } from '../web-search/run-pages.ts'
import type { TableArguments } from './arguments.ts'
import { chooseTable } from './choose-table.ts'
import { tablesIn } from './find-tables.ts'
import { tablesOn } from './page-tables.ts'
import { type Found, MAX_TABLES, type Table, tableOf } from './table.ts'
import { comparisonIn } from './where.ts'
import { worded } from './worded.ts'

/** As large as a request may be if its operator sets nothing; in characters. */
const MAX_TEXT = 2 ** 20

/** Reads the tables of the conversation and of the run's pages, chooses the one that has the columns, and does the operation. */
export function answer({ operation, where, group, n, ...args }: TableArguments, config: CallConfig): string {
  const comparison = isGiven(where) ? comparisonIn(where) : undefined
  const by = isGiven(group) ? group : undefined
  const others = [comparison?.column, by].filter(name => name !== undefined)
  const tables = [...tablesOfTask(config), ...tablesOfPages(config)]
    .slice(0, MAX_TABLES)
    .map(({ found, page }, at) => tableOf(found, at + 1, page))
  const isWeb = tables.some(({ page }) => page)
  const { table, column } = framed(isWeb, undefined, () => chooseTable(tables, args.column, others))
  return framed(table.page !== undefined, table, () =>
    worded(table, { operation, column, comparison, group: by, n }),
  )
}

/** Models fill in members that they do not use. */
function isGiven(member: string | undefined): member is string {
  return member !== undefined && member.trim() !== ''
}

/** The tables of messages: finding them takes most of a call's time. */
const known = new WeakMap<Message, readonly Found[]>()

function tablesOf(message: Message): readonly Found[] {
  const found = known.get(message) ?? tablesIn(message.text ?? '')
  known.set(message, found)
  return found
}

function tablesOfTask({ state }: CallConfig) {
  const messages = (state?.messages ?? []).filter(({ type, text }) => type === 'human' && text)
  const length = messages.reduce((sum, { text = '' }) => sum + text.length, 0)
  if (length > MAX_TEXT)
    throw new ToolError(
      `The task has ${length} characters, of which tables are read in at most ${MAX_TEXT}. Say so.`,
    )
  return messages.flatMap(tablesOf).map(found => ({ found, page: undefined }))
}

function tablesOfPages(config: CallConfig) {
  return RunPages.of(config).whole.flatMap(page => tablesOn(page).map(found => ({ found, page })))
}

/**
 * A result, or the message of a failure, that holds text of a page says so above it. None of its lines stands at the
 * margin, so none can pass for another result.
 */
function framed<Result>(isWeb: boolean, table: Table | undefined, work: () => Result): Result {
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
