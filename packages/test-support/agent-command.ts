import { fileURLToPath } from 'node:url'

/** The program of the command `agent`. */
export const AGENT = fileURLToPath(new URL('../cli/agent.js', import.meta.url))
