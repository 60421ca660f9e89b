/** The edits by their names, which the copies are called by. */
export * from './edits/agents.ts'
export * from './edits/models.ts'
export * from './edits/nodes.ts'
export * from './edits/tools.ts'
