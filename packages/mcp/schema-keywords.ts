import { isObject } from '@agent-task-service/wire/untrusted'

export type Schema = Record<string, unknown>

/** What of a keyword's value may stand in a schema; `undefined` if nothing may. */
type Form = (value: unknown, schema: Schema) => unknown

const words = (text: string): readonly string[] => text.split(' ')

/** What others call a schema by, and its dialect. */
export const NAMES = words('$schema $id id $anchor $dynamicAnchor $recursiveAnchor $vocabulary')
export const REFERENCES = words('$ref $dynamicRef $recursiveRef')
/** Only for who reads the schema. */
export const TEXTS = words('$comment description title')
const TYPES = words('array boolean integer null number object string')

/** Keywords whose value is a schema. */
const WITH_SCHEMA = words(
  'additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties',
)
const WITH_SCHEMAS = words('allOf anyOf oneOf prefixItems')
/** Keywords whose value is an object of schemas. */
const WITH_NAMED_SCHEMAS = words(
  '$defs definitions dependencies dependentSchemas patternProperties properties',
)

const HOLDING_SCHEMAS: ReadonlySet<string> = new Set([...WITH_SCHEMA, ...WITH_SCHEMAS])
const HOLDING_NAMED_SCHEMAS: ReadonlySet<string> = new Set(WITH_NAMED_SCHEMAS)

/** Schemas within a schema, whatever else it holds. */
export function schemasIn(schema: Schema): Schema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (HOLDING_SCHEMAS.has(keyword)) return [value].flat().filter(isObject)
    return HOLDING_NAMED_SCHEMAS.has(keyword) && isObject(value) ? Object.values(value).filter(isObject) : []
  })
}

const only =
  (fits: (value: unknown) => boolean): Form =>
  value =>
    fits(value) ? value : undefined

export const isText = (value: unknown): value is string => typeof value === 'string'
const isFlag = (value: unknown) => typeof value === 'boolean'
const isSchema = (value: unknown) => isFlag(value) || isObject(value)

const schema = only(isSchema)
/** In place of what is no schema, one that allows anything. */
const schemaOrAny: Form = value => (isSchema(value) ? value : {})
const schemas: Form = value =>
  Array.isArray(value) && value.length > 0 ? value.map(schemaOrAny as (one: unknown) => unknown) : undefined
const number = only(Number.isFinite)
const count = only(value => Number.isInteger(value) && Number(value) >= 0)
const names: Form = value => (Array.isArray(value) ? [...new Set(value.filter(isText))] : undefined)

const members =
  (form: Form, isName: (name: string) => boolean = () => true): Form =>
  (value, within) => {
    if (!isObject(value)) return undefined
    const fit = Object.entries(value).filter(([name]) => isName(name))
    return Object.fromEntries(fit.map(([name, member]) => [name, form(member, within)]))
  }

/** Whether it is one in JavaScript, as JSON Schema has it. It is never run. */
function isPattern(value: unknown): boolean {
  try {
    return isText(value) && Boolean(new RegExp(value))
  } catch {
    return false
  }
}

/** Of a list of types each must be known: the rest alone would allow less. */
function typeOf(value: unknown): unknown {
  const types = [...new Set([value].flat())]
  if (types.length === 0 || !types.every(one => TYPES.includes(one as string))) return undefined
  return isText(value) ? value : types
}

/** OpenAPI's: who knows it wants a type beside it. */
const nullable: Form = (value, { type }) => {
  const types = [typeOf(type) ?? []].flat()
  return isFlag(value) && types.length > 0 && (value || !types.includes('null')) ? value : undefined
}

const values: Form = value => {
  if (!Array.isArray(value) || value.length === 0) return undefined
  return [...new Map(value.map(one => [sortedJson(one), one])).values()]
}

function sortedJson(value: unknown): string {
  const sorted = (_: string, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort()) : one
  return JSON.stringify(value, sorted)
}

const forms: readonly [Form, readonly string[]][] = [
  [value => value, [...NAMES, ...REFERENCES, 'const', 'default']],
  [only(isText), [...TEXTS, ...words('contentEncoding contentMediaType format')]],
  [only(isFlag), words('deprecated readOnly uniqueItems writeOnly')],
  [number, words('exclusiveMaximum exclusiveMinimum maximum minimum')],
  [only(value => Number.isFinite(value) && Number(value) > 0), ['multipleOf']],
  [count, words('maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties')],
  [schema, WITH_SCHEMA],
  // OpenAI refuses a list without it.
  [schemaOrAny, ['items']],
  [schemas, WITH_SCHEMAS],
  [members(schemaOrAny), WITH_NAMED_SCHEMAS],
  [members(schemaOrAny, isPattern), ['patternProperties']],
  [members(value => (isSchema(value) ? value : names(value, {}))), ['dependencies']],
  [members(names), ['dependentRequired']],
  [names, ['required']],
  [values, ['enum']],
  [only(Array.isArray), ['examples']],
  [only(isPattern), ['pattern']],
  [typeOf, ['type']],
  [nullable, ['nullable']],
]

/** The form that each keyword has in draft 7 and 2020-12. */
export const FORMS: ReadonlyMap<string, Form> = new Map(
  forms.flatMap(([form, keywords]) => keywords.map(keyword => [keyword, form] as const)),
)
