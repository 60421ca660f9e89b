import { basename } from 'node:path'
import manifest from './package.json' with { type: 'json' }

const { filename } = import.meta

/** Whether the checks run in a project; if not, as the file that `npm run build:rehearsal` makes of them. */
export const IS_IN_PROJECT = !filename.endsWith('.mjs')

/** How people start the checks. */
export const CHECKS = IS_IN_PROJECT ? 'npm run staging:check --' : `node ${basename(filename)}`

/** How people start the platform. */
export const STAGING = IS_IN_PROJECT ? 'npm run staging' : 'npm run staging of agent-task-service'

export const { version: VERSION } = manifest
