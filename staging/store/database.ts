import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Marks the file as ours: "ATSP" in its header. */
const APPLICATION_ID = 0x41_54_53_50
const SCHEMA_VERSION = 3
/** How long a write waits for that of another process, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000
/** SQLite's codes. */
const BUSY = 5
const NOT_A_DATABASE = 26

/** Times are milliseconds since 1970. Large texts are in a separate table, so that lists never read them;
 * `run_numbers` issues the numbers of runs and stays empty; `run_search` indexes every three consecutive characters, by the
 * number of the run. */
const SCHEMA = `
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    status TEXT NOT NULL,
    http_status INTEGER NOT NULL,
    agent_status INTEGER,
    duration_sec REAL,
    wall_ms REAL NOT NULL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    steps INTEGER,
    cost_usd REAL,
    cost_estimated INTEGER NOT NULL,
    input TEXT NOT NULL,
    output TEXT NOT NULL,
    violations INTEGER NOT NULL,
    by_checks INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX runs_of_agent ON runs (agent_id, id);
  CREATE INDEX runs_by_status ON runs (status, id);
  CREATE INDEX runs_by_time ON runs (at);

  CREATE TABLE run_texts (
    run_id INTEGER PRIMARY KEY REFERENCES runs (id),
    broken TEXT NOT NULL,
    request TEXT NOT NULL,
    reply TEXT NOT NULL,
    events TEXT NOT NULL,
    log TEXT
  ) STRICT;

  CREATE TABLE run_numbers (id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;

  CREATE VIRTUAL TABLE run_search USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram');

  CREATE TABLE health_checks (
    id INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    ok INTEGER NOT NULL,
    latency_ms REAL NOT NULL,
    cause TEXT
  ) STRICT;
  CREATE INDEX health_checks_of_agent ON health_checks (agent_id, at);

  CREATE TABLE state_changes (
    id INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL,
    cause TEXT NOT NULL
  ) STRICT;
  CREATE INDEX state_changes_of_agent ON state_changes (agent_id, id);

  CREATE TABLE check_runs (
    id INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    state TEXT NOT NULL,
    cause TEXT,
    report TEXT,
    process_id INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX check_runs_of_agent ON check_runs (agent_id, id);
`

/** The file cannot be used as the platform's database; the message says why and what to do. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
}

/**
 * Opens the database, creating it if necessary. Several processes may have it open.
 *
 * @param file path, or `:memory:`
 * @throws {DatabaseError}
 */
export function openDatabase(file: string): DatabaseSync {
  const database = openFile(file)
  try {
    refuseForeign(database, file)
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON')
    transaction(database, () => {
      // Another process may have created it in the meantime.
      if (database.prepare('PRAGMA user_version').get()!.user_version !== 0) return
      database.exec(SCHEMA)
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`)
    })
    writeAhead(database)
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== NOT_A_DATABASE) throw error
    throw new DatabaseError(`${file}: expected an SQLite database, got another kind of file`)
  }
  return database
}

/** The mode belongs to the file: if it is busy, the other process sets it, or whoever opens the file next. */
function writeAhead(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA journal_mode = WAL')
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== BUSY) throw error
  }
}

export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

function openFile(file: string): DatabaseSync {
  try {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new DatabaseError(`${file}: cannot be opened as a database (${code ?? ''} ${message})`)
  }
}

/** One statement, since another process may be creating the database at this moment. */
const KIND = `
  SELECT application_id AS applicationId, user_version AS version, (SELECT count(*) FROM sqlite_schema) AS tables
  FROM pragma_application_id, pragma_user_version
`

function refuseForeign(database: DatabaseSync, file: string): void {
  type Kind = { applicationId: number; version: number; tables: number }
  const { applicationId, version, tables } = database.prepare(KIND).get() as Kind
  if (applicationId === 0 && version === 0 && tables === 0) return
  if (applicationId !== APPLICATION_ID) {
    throw new DatabaseError(`${file}: expected a database of this platform, got another program's`)
  }
  if (version !== SCHEMA_VERSION) {
    throw new DatabaseError(
      `${file}: expected schema ${SCHEMA_VERSION}, got ${version}: it was created by ` +
        `${version > SCHEMA_VERSION ? 'a newer' : 'an older'} version; name another file with --db`,
    )
  }
}
