/** Writes `docs/openapi.json`. */
import { writeFileSync } from 'node:fs'
import { openApiDocument } from './openapi-document.ts'

const file = new URL('../docs/openapi.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(openApiDocument(), null, 2)}\n`)
