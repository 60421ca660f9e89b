import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'

/** The text of one of the project's files. */
export function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
}

/** The documents of a YAML file. @throws on invalid YAML, warnings included */
export function documentsOf(path: string): unknown[] {
  return parseAllDocuments(textOf(path), { merge: true }).map(document => {
    const [problem] = [...document.errors, ...document.warnings]
    if (problem) throw problem
    return document.toJS() as unknown
  })
}
