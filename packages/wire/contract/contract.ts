/**
 * The wire format: what the orchestrator sends and what it gets back. Every shape is defined here;
 * `docs/openapi.json` is generated from this file.
 */
import { z } from 'zod'
import { membersOf } from '../untrusted/json.ts'
import { truncate } from '../untrusted/truncate.ts'

// No flags: the published JSON Schema can hold only the source.
const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
const TEST_ID = /^test-\d+$/
/** With the mark of the cut. */
const PREVIEW_LENGTH = 41
/** Maximum number of problems named in one reply. */
const SHOWN_ISSUES = 10

/** A UUID of any version in any case, or `test-<digits>`. */
const taskId = z
  .string(expecting('a string (a UUID or "test-<digits>")'))
  .refine(id => UUID.test(id) || TEST_ID.test(id), expecting('a UUID or "test-<digits>"'))
  .meta({
    description: 'Unique identifier of the task: a UUID, or test-<digits>',
    pattern: `${UUID.source}|${TEST_ID.source}`,
  })

/** Longest JSON of a task's own settings, in characters. */
const MAX_OWN_SETTINGS = 16_384

/**
 * An optional member. `null` means absent, since many serialisers write it that way.
 *
 * @param absent gives the value of an absent one
 */
function optional<Type extends z.ZodType>(
  type: Type,
  absent: () => z.output<Type> | undefined = () => undefined,
) {
  const withoutNull = type.nullable().transform(value => value ?? absent())
  return withoutNull.optional()
}

/** The settings that every run may have, by the interface. */
export const runSettings = {
  system_prompt: {
    type: z.string(expecting('a string')),
    description: "Replaces the agent's own system prompt for this run",
  },
  max_tokens: {
    type: z.int(expecting('an integer, 1 or more')).min(1, expecting('an integer, 1 or more')),
    description: 'Cap on the tokens generated over the whole run, all model calls together',
  },
  enabled_tools: {
    type: z.array(z.string()),
    description: 'Names of the tools enabled for this run; absent: all of them, empty: none',
  },
} as const

/** Settings of a run by name, as a graph declares them. */
type Settings = Readonly<Record<string, z.ZodType>>

/** The settings that the graph declares in addition to the three of the interface. */
function ownSettings(declared: Settings): Settings {
  const { system_prompt, max_tokens, enabled_tools, ...own } = declared
  const members: [string, z.ZodType][] = Object.entries(own)
  const accepts = (type: z.ZodType, value: unknown) => type.safeParse(value).success
  const withDefault = (type: z.ZodType) => optional(type, () => type.parse(undefined)).meta(type.meta() ?? {})
  return Object.fromEntries(
    members.map(([name, type]) => [
      name,
      // `null` may mean something to the setting itself.
      accepts(type, undefined) && !accepts(type, null) ? withDefault(type) : type,
    ]),
  )
}

type RenamedTools = ReadonlyMap<string, string>

/** An array of these tools' names. Stops after a few wrong ones, so that a megabyte of them stays cheap. */
function namesOf(toolNames: () => readonly string[], renamedTools: RenamedTools) {
  const uncheckedName: z.ZodType<string> = z.any().meta({ type: 'string' })
  const names = z
    .array(uncheckedName, expecting('an array of tool names'))
    .overwrite(names => names.map(name => presentName(name, toolNames(), renamedTools)))
  return names.superRefine((names, context) => {
    const known = toolNames()
    const expected = known.length > 0 ? `one of ${known.join(', ')}` : 'no name: this agent has no tools'
    let wrong = 0
    for (const [index, input] of names.entries()) {
      if (known.includes(input)) continue
      context.addIssue({
        code: 'custom',
        path: [index],
        message: `expected ${expected}, got ${describeValue(input)}`,
      })
      wrong += 1
      if (wrong > SHOWN_ISSUES) return
    }
  })
}

/** A former name means its tool, unless another tool has that name now. */
function presentName(name: string, known: readonly string[], renamedTools: RenamedTools): string {
  const present = renamedTools.get(name)
  return present === undefined || known.includes(name) || !known.includes(present) ? name : present
}

/**
 * The schema of a run request.
 *
 * @param toolNames returns this agent's tools; `enabled_tools` may name no others
 * @param settings those that the graph declares; the interface's own three are always the same
 * @param renamedTools present names by former ones, which `enabled_tools` may name as well
 */
export function runRequestFor(
  toolNames: () => readonly string[],
  settings: Settings = {},
  renamedTools: RenamedTools = new Map(),
) {
  const { system_prompt, max_tokens, enabled_tools } = runSettings
  const own = ownSettings(settings)
  const needed = Object.keys(own).filter(name => !own[name]!.safeParse(undefined).success)
  const config = z
    .object(
      {
        system_prompt: optional(system_prompt.type).describe(system_prompt.description),
        max_tokens: optional(max_tokens.type).describe(max_tokens.description),
        enabled_tools: optional(namesOf(toolNames, renamedTools)).describe(enabled_tools.description),
        ...own,
      },
      expecting(needed.length > 0 ? `an object with ${needed.join(', ')}` : 'an object'),
    )
    .superRefine(({ system_prompt, max_tokens, enabled_tools, ...others }, context) => {
      const { length } = JSON.stringify(others)
      const message = `expected at most ${MAX_OWN_SETTINGS} characters of own settings as JSON, got ${length}`
      if (length > MAX_OWN_SETTINGS) context.addIssue(message)
    })
    .meta({ id: 'RunConfig', description: 'Overrides of parameters for this run only' })
  const optionalConfig = optional(config)
  return z
    .object(
      {
        task_id: taskId,
        input: z
          .string(expecting('a string'))
          .refine(text => text.trim() !== '', expecting('a string that is not blank'))
          .meta({ description: 'Task text for the agent, not blank', pattern: '\\S' }),
        // Without one, a setting that has no default would be missing unnoticed.
        config: config.safeParse({}).success ? optionalConfig : (config as unknown as typeof optionalConfig),
      },
      expecting('a JSON object'),
    )
    .meta({ id: 'RunRequest', description: 'Starts one task' })
}

export const metrics = z
  .strictObject({
    duration_sec: z.number().min(0).describe('Seconds from the arrival of the request to its reply'),
    input_tokens: z.int().min(0).describe('Tokens read by the model, all calls together'),
    output_tokens: z.int().min(0).describe('Tokens generated by the model, all calls together'),
    steps: z.int().min(0).describe('Agent steps: model calls and tool calls'),
  })
  .meta({ id: 'Metrics', description: 'Usage of one run' })

const noMetrics = z
  .strictObject({})
  .meta({ id: 'NoMetrics', description: 'The empty metrics of a failed run' })

const success = z
  .strictObject({ task_id: z.string(), status: z.literal('success'), output: z.string(), metrics })
  .meta({ id: 'RunSuccess', description: 'The task completed' })

const failure = z
  .strictObject({
    task_id: z.string().describe('The `task_id` of the request, or "" if it had none'),
    status: z.literal('error'),
    output: z.literal(''),
    metrics: z.union([noMetrics, metrics]),
    error: z.string().describe('What went wrong'),
  })
  .meta({ id: 'RunError', description: 'The execution failed' })

const timeout = z
  .strictObject({
    task_id: z.string(),
    status: z.literal('timeout'),
    output: z.string().describe('The text so far, or ""'),
    metrics,
    error: z.string().describe('Which limit was reached'),
  })
  .meta({ id: 'RunTimeout', description: 'The execution time was exceeded' })

export const runResponse = z
  .discriminatedUnion('status', [success, failure, timeout])
  .meta({ id: 'RunResponse', description: 'The outcome of one task' })

export const healthResponse = z
  .strictObject({
    status: z.enum(['ok', 'draining']),
    agent_id: z.string().regex(/^agent-\d+$/),
    agent_name: z.string(),
  })
  .meta({ id: 'HealthResponse', description: 'Whether the agent can take work' })

/** Body of an error reply on any path but `/run`. */
export const plainError = z
  .strictObject({ error: z.string() })
  .meta({ id: 'PlainError', description: 'An infrastructure answer outside /run' })

export type RunRequest = z.infer<ReturnType<typeof runRequestFor>>
export type Metrics = z.infer<typeof metrics>
export type RunResponse = z.infer<typeof runResponse>
export type RunError = z.infer<typeof failure>
export type HealthResponse = z.infer<typeof healthResponse>

/** Whether equal requests with this id are one task (UUID) or separate runs (`test-<digits>`). */
export function isUniqueTaskId(id: string): boolean {
  return UUID.test(id)
}

/** The reply for a failed run, exactly as the interface's error section shows it. */
export function errorResponse(taskIdEcho: string, error: string, filled?: Metrics): RunError {
  return { task_id: taskIdEcho, status: 'error', output: '', metrics: filled ?? {}, error }
}

/** The `task_id` to echo for any parsed body: the request's if it is a string, else "". */
export function echoTaskId(body: unknown): string {
  const { task_id } = membersOf(body)
  return typeof task_id === 'string' ? task_id : ''
}

/** One line that says, for every wrong field, what was expected and what it got. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], body: unknown): string {
  const shown = issues
    .slice(0, SHOWN_ISSUES)
    .map(issue => `${issue.path.join('.') || 'body'}: ${describeIssue(issue, body)}`)
  const more = issues.length > shown.length ? ['and more'] : []
  return `invalid request: ${[...shown, ...more].join('; ')}`
}

function describeIssue({ path, message }: z.core.$ZodIssue, body: unknown): string {
  if (message.startsWith('expected ')) return message
  // Of a setting that the graph declares: zod's own words, which leave out what came.
  const input = path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)?.[key], body)
  return `${message.replace(/, received \w+$/, '')}, got ${describeValue(input)}`
}

/** The parameters of a schema whose errors say what was expected and what it got. */
export function expecting(expected: string) {
  return {
    error: ({ input, code }: { readonly input?: unknown; readonly code?: string }) =>
      code === 'unrecognized_keys' ? undefined : `expected ${expected}, got ${describeValue(input)}`,
  }
}

/** Describes a value briefly: `nothing`, `null`, `the number 1.5`, `the string "12"`, `an array`, `an object`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`
  if (value === '') return 'an empty string'
  return `the string ${JSON.stringify(truncate(value, PREVIEW_LENGTH))}`
}
