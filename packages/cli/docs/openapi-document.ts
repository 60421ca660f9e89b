import type { AgentDefinition } from '@agent-task-service/engine'
import { type EdgeErrorCode, edgeErrors } from '@agent-task-service/engine/edge-errors'
import {
  HEARTBEAT_SEC,
  healthResponse,
  plainError,
  runEvents,
  runRequestFor,
  runResponse,
} from '@agent-task-service/wire/contract'
import type { JsonObject } from '@agent-task-service/wire/untrusted'
import { z } from 'zod'
import { examples } from './openapi-examples.ts'

type Shape = 'RunError' | 'PlainError'

/**
 * The HTTP interface as an OpenAPI 3.1 document: shapes from `packages/wire/contract/contract.ts`, statuses from
 * `packages/engine/replies/errors.ts`.
 *
 * @param context the settings of the agent's runs
 * @param manifest of the agent's project
 */
export function openApiDocument(
  context: AgentDefinition['context'],
  { name, version }: { readonly name: string; readonly version: string },
): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: name,
      version,
      description:
        'An agent that takes one task at a time as text and returns text with usage metrics. A run that fails or ' +
        'times out gets HTTP 200 and says so in `status`; 4xx and 5xx are for infrastructure problems only.',
    },
    servers: [{ url: '/', description: 'The agent itself, on port 8080' }],
    paths: { '/run': { post: runOperation() }, '/health': { get: healthOperation() } },
    components: {
      schemas: schemas(context),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'Required if AGENT_TOKENS is set; otherwise /run is open',
        },
      },
    },
  }
}

function runOperation(): JsonObject {
  return {
    operationId: 'run',
    summary: 'Runs one task and returns its result',
    description:
      'Sending a UUID `task_id` again with the same body joins the run in flight, or returns its success again. ' +
      'A `test-<digits>` id always starts a new run. Unknown members are ignored. ' +
      "With `Accept: text/event-stream` the reply with status 200 is a stream of the run's events.",
    security: [{}, { bearer: [] }],
    requestBody: { required: true, content: json('RunRequest', examples.requests) },
    responses: {
      200: {
        description: 'The run ended: `success`, `error` (including invalid requests) or `timeout`',
        headers: {
          'Idempotent-Replayed': {
            description: 'Present if this success was already returned to an equal request',
            schema: { type: 'string', const: 'true' },
          },
          'Effect-Unknown': {
            description:
              'Present if nobody knows whether some calls of tools with side effects happened: an item for each, its tool with `key` and `begun`',
            schema: {
              type: 'string',
              example: '"pay";key="Ium_TI7nquuN_oJYUwfn0Q-H0SgTuL1xiyl-1";begun="2026-01-01T00:00:00.000Z"',
            },
          },
        },
        content: { ...json('RunResponse', examples.responses), ...eventStream() },
      },
      400: failure('RunError', ['hang_up', 'not_utf8', 'not_json', 'not_an_object', 'too_complex']),
      401: failure('RunError', ['unauthorized'], header('WWW-Authenticate', 'The scheme to use', 'string')),
      404: failure('PlainError', ['not_found'], undefined, 'On any other path'),
      405: notAllowed('RunError'),
      413: failure('RunError', ['body_too_large', 'body_too_complex']),
      415: failure('RunError', ['not_json_media_type']),
      500: failure('RunError', ['internal']),
      503: failure(
        'RunError',
        ['full', 'draining'],
        header('Retry-After', 'Seconds to wait before the next try', 'integer'),
      ),
    },
  }
}

function healthOperation(): JsonObject {
  const { ok, draining } = examples.health
  return {
    operationId: 'health',
    summary: 'Says whether the agent accepts work',
    security: [],
    responses: {
      200: { description: 'It accepts work, busy or not', content: json('HealthResponse', { ok }) },
      404: failure('PlainError', ['not_found'], undefined, 'On any other path'),
      405: notAllowed('PlainError'),
      500: failure('PlainError', ['internal']),
      503: { description: 'It is shutting down', content: json('HealthResponse', { draining }) },
    },
  }
}

function notAllowed(shape: Shape): JsonObject {
  const allow = header('Allow', 'The allowed methods', 'string')
  return failure(shape, ['method_not_allowed'], allow, 'For any other method on this path')
}

/** An infrastructure reply, with an example for each cause. */
function failure(
  shape: Shape,
  codes: readonly EdgeErrorCode[],
  headers?: JsonObject,
  description = codes.map(code => edgeErrors[code].text).join('; or '),
): JsonObject {
  const causes = codes.map(code => {
    const error = edgeErrors[code].text
    const run = { task_id: '', status: 'error', output: '', metrics: {}, error }
    return [code, { value: shape === 'RunError' ? run : { error } }]
  })
  return { description, ...(headers && { headers }), content: json(shape, Object.fromEntries(causes)) }
}

function header(name: string, description: string, type: 'string' | 'integer'): JsonObject {
  return { [name]: { required: true, description, schema: { type } } }
}

function json(schema: string, examples: JsonObject): JsonObject {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples } }
}

function eventStream(): JsonObject {
  const schema = { $ref: '#/components/schemas/RunEventStream' }
  return { 'text/event-stream': { schema, examples: { events: { value: examples.eventStream } } } }
}

/** The stream as a string, with the schemas of its events' `data`. */
function eventStreamSchema(): JsonObject {
  const types = Object.keys(runEvents)
  const description =
    `Server-sent events. In each, \`event\` is its type (${types.join(', ')}), \`id\` a number, and \`data\` JSON of ` +
    'the schema named after the type: RunStartedEvent and so on. `run_finished` comes last; its `response` is the ' +
    `JSON reply. A comment is sent every ${HEARTBEAT_SEC} s. New types and members may appear at any time.`
  const data = types.map(type => ({ $ref: `#/components/schemas/${eventSchemaName(type)}` }))
  return {
    type: 'string',
    description,
    contentMediaType: 'text/event-stream',
    contentSchema: { anyOf: data },
  }
}

/** `run_started` → `RunStartedEvent` */
function eventSchemaName(type: string): string {
  return `${type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`
}

/** Every shape on the wire, by id. Requests may have extra members, replies may not. */
function schemas({ shape }: AgentDefinition['context']): JsonObject {
  const roots = {
    ...withParts(
      runRequestFor(() => [], shape),
      'input',
    ),
    ...withParts(runResponse, 'output'),
    ...withParts(healthResponse, 'output'),
    ...withParts(plainError, 'output'),
    ...Object.assign(
      {},
      ...Object.entries(runEvents).map(([type, schema]) =>
        withParts(schema.meta({ id: eventSchemaName(type) }), 'output'),
      ),
    ),
  }
  const RunEventStream = eventStreamSchema()
  const { RunResponse } = roots
  const kinds = { success: 'RunSuccess', error: 'RunError', timeout: 'RunTimeout' }
  const mapping = Object.entries(kinds).map(([status, id]) => [status, `#/components/schemas/${id}`])
  const discriminator = { propertyName: 'status', mapping: Object.fromEntries(mapping) }
  return { ...roots, RunEventStream, RunResponse: { ...RunResponse, discriminator } }
}

/** A schema and the named schemas inside it, each as a component. */
function withParts(schema: z.ZodType, io: 'input' | 'output'): Record<string, JsonObject> {
  const id = schema.meta()?.id ?? ''
  const text = JSON.stringify(z.toJSONSchema(schema, { io }))
  const { $schema: _, $defs = {}, ...root } = JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/'))
  return { [id]: root, ...$defs }
}
