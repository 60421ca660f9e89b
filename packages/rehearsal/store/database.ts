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
