import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../command-line.ts'

/** Marks the file as ours: "ATSP" in its header. */
const APPLICATION_ID = 0x41_54_53_50
const SCHEMA_VERSION = 4
/** SQLite's codes. */
const BUSY = 5
const NOT_A_DATABASE = 26

/** Each record is JSON, in the shapes of `api.ts`; large texts are apart, so that lists never read them. `searched` is in lower
 * case. */
const SCHEMA = `
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    summary TEXT NOT NULL,
    searched TEXT NOT NULL,
    texts TEXT NOT NULL
  ) STRICT;

  CREATE TABLE check_runs (
    id INTEGER PRIMARY KEY,
    summary TEXT NOT NULL,
    report TEXT
  ) STRICT;

  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`

/** SQLite's codes of what keeps a file from being used, but for `BUSY`: for reading only, an error of the disk, damaged, full, cannot be opened. */
const LOSSES: ReadonlyMap<number, string> = new Map([
  [8, 'it cannot be written'],
  [10, 'it cannot be read or written'],
  [11, 'the database is damaged'],
  [13, 'the disk is full'],
  [14, 'it cannot be read or written'],
  [NOT_A_DATABASE, 'the database is damaged'],
])

/** Why a database cannot be used any more; undefined: it can be, and the error is another's. */
export function lossIn(error: unknown): string | undefined {
  const { errcode = 0, message = '' } = error as { errcode?: number; message?: string }
  if (error instanceof SyntaxError || message === 'malformed JSON') return LOSSES.get(11)
  // What is above tells them apart.
  return LOSSES.get(errcode & 0xff)
}

/** What SQLite does not notice: it goes on writing to a file that nobody finds any more. */
export function removed(): Error {
  return Object.assign(new Error('it has been removed'), { errcode: 14 })
}

const TABLES = { runs: ['summary', 'searched', 'texts'], check_runs: ['summary', 'report'] }
/** How much of a table, in characters and in rows, goes on in memory. */
const MAX_CHARACTERS = 64_000_000
const MAX_ROWS = 5_000

/** Copies the newest rows of a database, as far as they can be read. */
export function salvage(from: DatabaseSync, to: DatabaseSync): void {
  for (const [table, columns] of Object.entries(TABLES)) {
    const select = `SELECT ${columns} FROM ${table} WHERE id = ?`
    const insert = `INSERT INTO ${table} (id, ${columns}) VALUES (?, ${columns.map(() => '?')})`
    const last = Number(
      attempted(() => from.prepare(`SELECT max(id) AS last FROM ${table}`).get()?.last) ?? 0,
    )
    let left = MAX_CHARACTERS
    for (let id = last; id > Math.max(0, last - MAX_ROWS) && left > 0; id -= 1)
      attempted(() => {
        const values = Object.values(from.prepare(select).get(id) ?? {})
        for (const [index, value] of values.entries())
          if (columns[index] !== 'searched') JSON.parse(String(value))
        if (values.length > 0) to.prepare(insert).run(id, ...values)
        left -= values.join('').length
      })
  }
}

function attempted<Result>(act: () => Result): Result | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}

function unusable(file: string, why: string): StartError {
  return new StartError(`${file}: ${why}; name another file with --db`)
}

/**
 * Opens the database for this process alone, creating it if necessary.
 *
 * @param file path, or `:memory:`
 * @throws {StartError}
 */
export function openDatabase(file: string): DatabaseSync {
  const database = openFile(file)
  const numberIn = (query: string) => Number(Object.values(database.prepare(query).get()!)[0])
  try {
    // Statements that change nothing, so that a file of another program stays as it is.
    const [applicationId, version] = ['application_id', 'user_version'].map(name =>
      numberIn(`PRAGMA ${name}`),
    )
    const tables = numberIn('SELECT count(*) FROM sqlite_schema')
    if (applicationId !== APPLICATION_ID && tables > 0)
      throw unusable(file, "expected a database of this platform, got another program's")
    if (version !== SCHEMA_VERSION && tables > 0)
      throw unusable(file, `expected schema ${SCHEMA_VERSION}, got ${version}, of another version`)
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    database.exec(`BEGIN IMMEDIATE; ${tables > 0 ? '' : SCHEMA} COMMIT`)
  } catch (error) {
    database.close()
    const { errcode } = error as { errcode?: number }
    if (errcode === BUSY) throw unusable(file, 'another platform has it open')
    if (errcode === NOT_A_DATABASE)
      throw unusable(file, 'expected an SQLite database, got another kind of file')
    throw error
  }
  return database
}

function openFile(file: string): DatabaseSync {
  try {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    return new DatabaseSync(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw unusable(file, `cannot be opened as a database (${code ?? ''} ${message})`)
  }
}
