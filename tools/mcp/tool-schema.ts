import { Ajv } from 'ajv'

/** JSON Schema of an object. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Longest schema that is sent with every request to the model, in characters of JSON. */
const MAX_LENGTH = 20_000

/**
 * Makes a check for schemas of tools' arguments. A provider refuses a request for one bad schema among its tools, and so
 * the whole run: what is no sound JSON Schema of an object must not get there.
 *
 * @returns the schema as it goes to the model, or `undefined` where it cannot
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

/** OpenAI takes no combination at the top, and no object without properties. The server checks what is left out here. */
function asProvidersTakeIt(schema: Record<string, unknown>): JsonSchema {
  const { anyOf: _any, oneOf: _one, allOf: _all, not: _not, enum: _enum, ...rest } = schema
  return { properties: {}, ...rest }
}
