/** The edits by name; the copies have the same names. */
export * from './edits/agents.ts'
export * from './edits/models.ts'
export * from './edits/nodes.ts'
export * from './edits/settings.ts'
export * from './edits/state-forms.ts'
export * from './edits/tools.ts'
