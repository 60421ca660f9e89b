import { readFileSync } from 'node:fs'
import { openApiDocument } from '@agent-task-service/cli/documents'
import { RunContext } from '@agent-task-service/engine'
import { edgeErrors } from '@agent-task-service/engine/edge-errors'
import { runRequestFor } from '@agent-task-service/wire/contract'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'

interface ApiResponse {
  readonly headers?: Record<string, { readonly required?: boolean; readonly schema: object }>
  readonly content: Record<string, { schema: { $ref: string }; examples: Record<string, { value: unknown }> }>
}
interface Operation {
  readonly requestBody?: Pick<ApiResponse, 'content'>
  readonly responses: Record<string, ApiResponse>
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>
}

const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')
const document = JSON.parse(committed) as Document
const ajv = new Ajv2020({ strict: false, allErrors: true }).addSchema(document, 'openapi.json')
const runOperation = document.paths['/run']!.post!
const healthOperation = document.paths['/health']!.get!

/** What the referenced schema finds wrong with a value. */
function faults(ref: string, value: unknown): unknown {
  const validate = ajv.compile({ $ref: `openapi.json${ref}` })
  return validate(value) ? [] : validate.errors
}

test('docs/openapi.json is current but for what its owner adds: npm run docs', () => {
  const { info: _, ...expected } = openApiDocument(RunContext, { name: '', version: '' })
  expect(document).toMatchObject(expected)
})

test('docs/openapi.json is valid OpenAPI', async () => {
  const validator = new Validator()
  expect(await validator.validate(JSON.parse(committed))).toMatchObject({ valid: true })
  expect(validator.resolveRefs()).toBeTruthy()
})

test('every infrastructure status is there, with the text of each of its causes', () => {
  for (const [code, { status, text }] of Object.entries(edgeErrors)) {
    const example = runOperation.responses[status]?.content['application/json']?.examples[code]?.value
    expect([code, example]).toEqual([code, expect.objectContaining({ error: text })])
  }
})

test('every example fits its schema', () => {
  const contents = [runOperation, healthOperation].flatMap(({ requestBody, responses }) => [
    ...(requestBody ? [requestBody] : []),
    ...Object.values(responses),
  ])
  const pairs = contents.flatMap(({ content }) =>
    Object.values(content).flatMap(({ schema, examples }) =>
      Object.values(examples).map(({ value }) => [schema.$ref, value] as const),
    ),
  )
  for (const [ref, value] of pairs) expect([value, faults(ref, value)]).toEqual([value, []])
})

const requests: [name: string, request: unknown][] = [
  ['minimal', { task_id: 'test-1', input: 'x' }],
  ['an upper-case UUID', { task_id: '6F9619FF-8B86-4011-B42D-00C04FC964FF', input: 'x' }],
  [
    'all of it',
    { task_id: 'test-1', input: 'x', config: { system_prompt: '', max_tokens: 1, enabled_tools: [] } },
  ],
  ['no id', { input: 'x' }],
  ['another id', { task_id: 'test-1a', input: 'x' }],
  ['blank input', { task_id: 'test-1', input: ' \u00a0\ufeff' }],
  [
    'members of config null',
    {
      task_id: 'test-1',
      input: 'x',
      config: { system_prompt: null, max_tokens: null, enabled_tools: null },
    },
  ],
  ['max_tokens 0', { task_id: 'test-1', input: 'x', config: { max_tokens: 0 } }],
  ['a tool that is not a string', { task_id: 'test-1', input: 'x', config: { enabled_tools: [1] } }],
  ['an array', []],
]

test.for(requests)('the published request schema agrees with the service: %s', ([_name, request]) => {
  const isFine = runRequestFor(() => []).safeParse(request).success
  expect(faults('#/components/schemas/RunRequest', request)).toEqual(
    isFine ? [] : expect.arrayContaining([expect.anything()]),
  )
})
