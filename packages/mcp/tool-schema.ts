import { isObject, parseJson } from '@agent-task-service/wire/untrusted'
import { Ajv } from '@modelcontextprotocol/client/validators/ajv'

type Schema = Readonly<Record<string, unknown>>

/** Longest schema, in characters of JSON, since it is sent with every request to the model. */
const MAX_LENGTH = 20_000
/** Deepest nesting: others read schemas recursively. */
const MAX_LEVELS = 200

const keywords = (words: string): ReadonlySet<string> => new Set(words.split(' '))
/** Keywords whose value is a schema or a list of schemas. */
const WITH_SCHEMAS = keywords(
  'additionalItems additionalProperties allOf anyOf contains else if items not oneOf prefixItems propertyNames then unevaluatedItems unevaluatedProperties',
)
/** Keywords whose value is an object of schemas. */
const WITH_NAMED_SCHEMAS = keywords(
  '$defs definitions dependencies dependentSchemas patternProperties properties',
)

/**
 * The schema for the model, or `undefined` unless it is a valid JSON Schema of an object: a single bad one makes a provider
 * refuse the whole request, and with it the run. OpenAI accepts no combinators at the top level and no object without
 * properties; the server still checks what this drops.
 */
export function usableSchema({
  $schema: _dialect,
  $id: _id,
  id: _oldId,
  ...schema
}: Schema): Schema | undefined {
  if (schema.type !== 'object' || !isShort(schema) || !isValid(schema)) return undefined
  const { anyOf: _any, oneOf: _one, allOf: _all, not: _not, enum: _enum, ...rest } = schema
  return { properties: {}, ...rest }
}

function isShort(schema: Schema): boolean {
  try {
    const text = JSON.stringify(schema)
    return text.length <= MAX_LENGTH && parseJson(text, MAX_LEVELS) !== undefined
  } catch {
    // It nests too deep even for that.
    return false
  }
}

/** Whether it is a valid JSON Schema that refers only to itself. It is not compiled: that takes a second for some of 20 kB. */
function isValid(schema: Schema): boolean {
  if (!fitsMetaSchema(schema)) return false
  const parts = new Map<Schema, Schema>()
  collect(schema, schema, parts)
  const named = new Map([...parts.keys()].flatMap(part => namesOf(part).map(name => [name, part])))
  for (const [part, root] of parts) {
    if (part.$ref === undefined) continue
    const target = targetOf(String(part.$ref), root, named)
    if (target === true || target === false || parts.has(target as Schema)) continue
    // Some keep schemas under keywords of their own.
    if (!isObject(target) || !fitsMetaSchema(target)) return false
    collect(target, root, parts)
  }
  return true
}

/** Schemas within a schema, each with the one at which its references begin: the whole, or one with an `$id` around it. */
function collect(schema: Schema, outer: Schema, parts: Map<Schema, Schema>): void {
  const root = namesOf(schema).some(name => !name.startsWith('#')) ? schema : outer
  parts.set(schema, root)
  for (const child of schemasIn(schema)) if (!parts.has(child)) collect(child, root, parts)
}

function schemasIn(schema: Schema): Schema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (WITH_SCHEMAS.has(keyword)) return [value].flat().filter(isObject)
    return WITH_NAMED_SCHEMAS.has(keyword) && isObject(value) ? Object.values(value).filter(isObject) : []
  })
}

/** By which references may call a schema, besides its place. */
function namesOf({ $id, $anchor }: Schema): string[] {
  const names = [$id, typeof $anchor === 'string' ? `#${$anchor}` : undefined]
  return names.filter(name => typeof name === 'string')
}

/** What a reference points to; `undefined` if it is not in this schema. */
function targetOf(reference: string, root: Schema, named: ReadonlyMap<string, Schema>): unknown {
  if (named.has(reference)) return named.get(reference)
  const [document = '', path = ''] = reference.split('#')
  let target: unknown = document === '' ? root : named.get(document)
  for (const step of path.split('/').slice(1)) {
    const key = decodedStep(step)
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return undefined
    target = (target as Schema)[key]
  }
  return path === '' || path.startsWith('/') ? target : undefined
}

/** @param step of a JSON pointer in an address (RFC 6901); one that is not well encoded is taken as it stands */
function decodedStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}

/** What Ajv's `uniqueItems` checks by comparing each value with all others. */
function areDistinct(_isWanted: unknown, values: readonly unknown[]): boolean {
  return new Set(values.map(value => JSON.stringify(value))).size === values.length
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}

/** Whether each keyword has a value of the right form, as draft 7 says, and those of later drafts that hold schemas. */
const fitsMetaSchema = createMetaSchema()

function createMetaSchema(): (schema: Schema) => unknown {
  const ajv = new Ajv({ strict: false, formats: { regex: isPattern }, validateSchema: false, logger: false })
  ajv
    .removeKeyword('uniqueItems')
    .addKeyword({ keyword: 'uniqueItems', type: 'array', validate: areDistinct })
  const draft7 = ajv.schemas['http://json-schema.org/draft-07/schema']?.schema as Schema
  const itself = { $ref: '#' }
  const named = { type: 'object', additionalProperties: itself }
  const later = {
    $defs: named,
    dependentSchemas: named,
    prefixItems: { $ref: '#/definitions/schemaArray' },
    unevaluatedItems: itself,
    unevaluatedProperties: itself,
  }
  const { $id: _, ...rest } = draft7
  return ajv.compile({ ...rest, properties: { ...(draft7.properties as Schema), ...later } })
}
