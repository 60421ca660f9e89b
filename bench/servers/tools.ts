/** The tools that all servers have: a calculator, a document of any size, and as many others as `TOOLS` says. */
import { textOf } from '../work.ts'

/** A tool in the form of each library's own. */
export interface BenchTool {
  readonly name: string
  readonly description: string
  readonly properties: Readonly<Record<string, 'string' | 'number'>>
  // biome-ignore lint/suspicious/noExplicitAny: what the properties say
  call(args: any): Promise<string> | string
}

const calculator: BenchTool = {
  name: 'calculator',
  description: 'Calculates an arithmetic expression.',
  properties: { expression: 'string' },
  // As this service calculates, and loaded on first use as there.
  call: async ({ expression }) => {
    const { calculate } = await import('../../packages/starter/calculator.ts')
    return await calculate(expression)
  },
}

const document: BenchTool = {
  name: 'document',
  description: 'Reads a document of a size in kB.',
  properties: { kb: 'number', number: 'number' },
  call: ({ kb }) => textOf(kb),
}

const others = Array.from(
  { length: Number(process.env.TOOLS ?? 0) },
  (_, index): BenchTool => ({
    name: `lookup_${index}`,
    description:
      `Looks up records of kind ${index} in the directory by what is known of them, and returns the first ones ` +
      'with their names, dates and places, as a table.',
    properties: { name: 'string', place: 'string', from: 'string', until: 'string', limit: 'number' },
    call: () => 'none',
  }),
)

/** Those that this service does not bring itself. */
export const added = [document, ...others]
export const tools = [calculator, ...added]
