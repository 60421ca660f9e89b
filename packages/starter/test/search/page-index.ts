import { DatabaseSync } from 'node:sqlite'
import type { Web } from './page.ts'
import type { ServedWeb } from './web-server.ts'

/** Matches of `:words`, best first. */
export const MATCHING =
  'SELECT title, url, content FROM pages WHERE pages MATCH :words ORDER BY bm25(pages, 4.0)'

/** A search engine's index: every page by its title and its text. */
export function indexOf({ pages }: Web, { addressOf }: ServedWeb, file = ':memory:'): DatabaseSync {
  const database = new DatabaseSync(file)
  database.exec('CREATE VIRTUAL TABLE pages USING fts5(title, url UNINDEXED, content UNINDEXED, body)')
  const insert = database.prepare('INSERT INTO pages VALUES (?, ?, ?, ?)')
  database.exec('BEGIN')
  for (const page of pages) insert.run(page.title, addressOf(page), page.snippet, page.text)
  database.exec('COMMIT')
  return database
}
