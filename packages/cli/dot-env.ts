/** Loads the variables in `.env`, if there is one: Node's own option for that reports a missing file on every start. */
import { existsSync } from 'node:fs'

if (existsSync('.env')) process.loadEnvFile()
