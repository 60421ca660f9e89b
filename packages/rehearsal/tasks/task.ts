/**
 * The task format: what to ask an agent, and what its answer must satisfy. `read-tasks.ts` reads a file of tasks,
 * `judge.ts` judges answers.
 */

import { expecting } from '@agent-task-service/wire/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { z } from 'zod'

const text = z.string(expecting('a text')).min(1, expecting('a text'))
const texts = atLeastOne('text', z.array(text, expecting('a list of texts')))
const tolerance = z.number().min(0)
const numberWithin = z.strictObject({
  value: z.number(),
  /** Largest distance from the value. */
  absolute: tolerance.optional(),
  /** The same, relative to the value: 0.01 is 1%. */
  relative: tolerance.optional(),
})
const bareNumber = z.number().transform((value): z.infer<typeof numberWithin> => ({ value }))
const oneTime = z.union([
  z.strictObject({ now: z.string().refine(isZone), within_sec: tolerance }),
  z.strictObject({
    at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/),
    within_sec: tolerance.default(0),
  }),
])

const contains = z.union(
  [
    text.transform(one => ({ all: [one] })),
    texts.transform(all => ({ all })),
    z.strictObject({ any: texts }),
  ],
  expecting('a text, a list of required texts, or { any: <list> }'),
)

const status = z.enum(['success', 'error', 'timeout'], expecting('"success", "error" or "timeout"'))

const A_MOMENT = '{ now: <time zone>, within_sec }, or { at: "<hh:mm>", within_sec }'

export const expectation = z
  .strictObject(
    {
      /** Of the run; the others are about its `output`. */
      status: status.default('success'),
      /** The whole text, without blanks at either end. */
      equals: text.optional(),
      /** Ignores case. */
      contains: contains.optional(),
      pattern: text.refine(isPattern, expecting('a regular expression')).optional(),
      number: oneOrMore(
        'a number, or { value, absolute, relative }',
        z.union([bareNumber, numberWithin]),
      ).optional(),
      /** A JSON Schema that the output fits, as JSON. */
      json: z
        .looseObject({}, expecting('a JSON Schema'))
        .refine(isSchema, expecting('a JSON Schema'))
        .optional(),
      time: oneOrMore(A_MOMENT, oneTime).optional(),
    },
    expecting('an object'),
  )
  .refine(
    ({ status, ...of }) => status !== 'success' || Object.values(of).some(value => value !== undefined),
    'expected at least one of equals, contains, pattern, number, time, json, or a status other than success',
  )

const positive = expecting('an integer, 1 or more')

const task = z.strictObject(
  {
    /** A short name for reports; absent: the input. */
    name: text.optional(),
    input: text,
    /** An agent may have settings of its own beside these. */
    config: z
      .looseObject(
        {
          system_prompt: z.string(expecting('a text')).optional(),
          max_tokens: z.int(positive).min(1, positive).optional(),
          enabled_tools: z.array(text, expecting('a list of tool names')).optional(),
        },
        expecting('an object'),
      )
      .optional(),
    expect: expectation,
  },
  expecting('an object with input and expect'),
)

export const taskFile = z.strictObject(
  { tasks: atLeastOne('task', z.array(task, expecting('a list of tasks'))) },
  expecting('an object with tasks'),
)

export type Expectation = z.infer<typeof expectation>
export type SampleTask = z.infer<typeof task>
export type TaskFile = z.infer<typeof taskFile>

/** A list, or a single item that stands for a list of one. */
function oneOrMore<Schema extends z.ZodType>(expected: string, one: Schema) {
  const list = z.array(one).min(1)
  return z.union([list, one.transform(value => [value])], expecting(expected))
}

function atLeastOne<Item extends z.ZodType>(what: string, list: z.ZodArray<Item>) {
  return list.min(1, `expected at least one ${what}, got none`)
}

function isZone(timeZone: string): boolean {
  return succeeds(() => new Intl.DateTimeFormat('en', { timeZone }))
}

function isPattern(source: string): boolean {
  return succeeds(() => new RegExp(source, 'u'))
}

function isSchema(schema: object): boolean {
  return succeeds(() => ajv.compile(schema))
}

function succeeds(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

const ajv = new Ajv2020({ strict: false, allErrors: true })

/** What is wrong with a value by a JSON Schema; empty if it fits. */
export function misfit(schema: object, value: unknown): string {
  const fits = ajv.compile(schema)
  return fits(value) ? '' : ajv.errorsText(fits.errors, { dataVar: 'output' })
}
