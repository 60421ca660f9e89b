import { z } from 'zod'
import type { BenchTool } from './tools.ts'

const types = { string: z.string(), number: z.number() }

/** The schema of a tool's arguments, for the libraries that take one of zod's. */
export function schemaOf({ properties }: BenchTool) {
  return z.object(Object.fromEntries(Object.entries(properties).map(([key, type]) => [key, types[type]])))
}
