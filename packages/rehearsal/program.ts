import { basename } from 'node:path'

const { filename } = import.meta

/** How people start the checks: in this project, or as the file that `npm run build:rehearsal` makes of them. */
export const CHECKS = filename.endsWith('.ts') ? 'npm run staging:check --' : `node ${basename(filename)}`
