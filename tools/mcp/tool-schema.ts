import { Ajv } from 'ajv'

/** JSON Schema of an object. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Longest schema, in characters of JSON, since it is sent with every request to the model. */
const MAX_LENGTH = 20_000

/**
 * Creates a check for the schemas of tools' arguments. A single bad schema makes a provider refuse the whole request, and
 * with it the run, so only valid JSON Schemas of an object may pass.
 *
 * @returns a function that returns the schema for the model, or `undefined` if it is unusable
 */
export function schemaCheck(): (schema: Readonly<Record<string, unknown>>) => JsonSchema | undefined {
  const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false, logger: false })
  return ({ $schema: _dialect, $id: _id, ...schema }) => {
    if (schema.type !== 'object') return undefined
    try {
      if (JSON.stringify(schema).length > MAX_LENGTH) return undefined
      ajv.compile(schema)
    } catch {
      return undefined
    }
    return asProvidersTakeIt(schema)
  }
}

/** OpenAI accepts no combinators at the top level and no object without properties. The server still checks what this drops. */
function asProvidersTakeIt(schema: Record<string, unknown>): JsonSchema {
  const { anyOf: _any, oneOf: _one, allOf: _all, not: _not, enum: _enum, ...rest } = schema
  return { properties: {}, ...rest }
}
