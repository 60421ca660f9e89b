import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'

/** The text of a file of the project. */
export function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
}

/** The documents of a YAML file. @throws on what is no YAML, a warning included */
export function documentsOf(path: string): unknown[] {
  return parseAllDocuments(textOf(path), { merge: true }).map(document => {
    const [problem] = [...document.errors, ...document.warnings]
    if (problem) throw problem
    return document.toJS() as unknown
  })
}
