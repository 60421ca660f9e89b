/** The task format: what to ask an agent, and what its answer must hold. `read.ts` reads it, `judge.ts` judges by it. */
import { z } from 'zod'
import { describeValue } from '../../src/contract.ts'

const said = (expected: string) => (issue: { input?: unknown; code?: string }) =>
  issue.code === 'unrecognized_keys' ? undefined : `expected ${expected}, got ${describeValue(issue.input)}`

const text = z.string({ error: said('a text') }).min(1, { error: said('a text') })
const size = (expected: string) => z.number({ error: said(expected) }).min(0, { error: said(expected) })

const number = z
  .strictObject(
    {
      value: z.number({ error: said('a number') }),
      absolute: size('a tolerance, 0 or more').optional(),
      relative: size('a tolerance, 0 or more').optional(),
    },
    { error: said('a number, or an object with value and absolute or relative') },
  )
  .meta({ id: 'ExpectedNumber' })

const zone = text.refine(isZone, { error: said('a time zone such as Europe/Berlin') })
const clockTime = z
  .string({ error: said('a time such as "07:30" or "07:30:15"') })
  .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, { error: said('a time such as "07:30" or "07:30:15"') })

const time = z.union(
  [
    z.strictObject({ now: zone, within_sec: size('seconds, 0 or more') }),
    z.strictObject({ at: clockTime, within_sec: size('seconds, 0 or more').default(0) }),
  ],
  { error: said('{ now: <time zone>, within_sec } or { at: "<hh:mm>", within_sec }') },
)

const pattern = text.refine(isPattern, { error: said('a regular expression') })

const contains = z.union([text, z.array(text).min(1), z.strictObject({ any: z.array(text).min(1) })], {
  error: said('a text, a list of texts that must all be there, or { any: <list> }'),
})

export const expectation = z
  .strictObject(
    {
      status: z
        .enum(['success', 'error', 'timeout'], { error: said('"success", "error" or "timeout"') })
        .default('success'),
      equals: text.optional(),
      contains: contains.optional(),
      pattern: pattern.optional(),
      number: z.preprocess(value => (typeof value === 'number' ? { value } : value), number).optional(),
      time: time.optional(),
    },
    { error: said('an object') },
  )
  .refine(
    expect =>
      Object.values(expect).filter(value => value !== undefined).length > 1 || expect.status !== 'success',
    {
      error:
        'expected one of equals, contains, pattern, number, time, or a status other than success; got none',
    },
  )

export const task = z.strictObject(
  {
    /** Short, for reports; absent: the input itself. */
    name: text.optional(),
    input: text,
    config: z
      .strictObject({
        system_prompt: z.string({ error: said('a text') }).optional(),
        max_tokens: z
          .int({ error: said('an integer, 1 or more') })
          .min(1, { error: said('an integer, 1 or more') })
          .optional(),
        enabled_tools: z
          .array(z.string({ error: said('a text') }), { error: said('a list of tool names') })
          .optional(),
      })
      .optional(),
    expect: expectation,
  },
  { error: said('an object with input and expect') },
)

export const taskFile = z.strictObject(
  {
    tasks: z
      .array(task, { error: said('a list of tasks') })
      .min(1, { error: 'expected a task at least, got none' }),
  },
  { error: said('an object with tasks') },
)

export type Expectation = z.infer<typeof expectation>
export type Task = z.infer<typeof task>
export type TaskFile = z.infer<typeof taskFile>

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u') !== undefined
  } catch {
    return false
  }
}
