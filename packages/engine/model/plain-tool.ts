import { createHash } from 'node:crypto'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import { isObject, type JsonObject } from '@agent-task-service/wire/untrusted'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'

/** Deepest nesting, and most parts: a schema may refer to itself, and to each part twice. */
const MAX_LEVELS = 6
const MAX_PARTS = 500

/** Under which facts about a tool are kept: its name, and what stands for its definition, which a server may mend. */
export function factKey(tool: BindToolsInput): `tool ${string}` {
  const definition = JSON.stringify(convertToOpenAITool(tool as never))
  return `tool ${nameOf(tool)} ${createHash('sha256').update(definition).digest('hex').slice(0, 8)}`
}

const plainTools = new WeakMap<object, BindToolsInput>()

/** The tool with a schema that every provider takes: nothing but types, descriptions, members, items and words to choose from. */
export function plainTool(tool: BindToolsInput): BindToolsInput {
  const known = plainTools.get(tool)
  if (known) return known
  const { function: definition } = convertToOpenAITool(tool as never)
  const parameters = { properties: {}, ...plainSchema(definition.parameters), type: 'object' }
  const made = { type: 'function', function: { ...definition, parameters } }
  plainTools.set(tool, made)
  return made
}

function plainSchema(root: unknown): JsonObject {
  let partsLeft = MAX_PARTS

  function plain(schema: unknown, level = 0): JsonObject {
    const expanded = expand(schema, level)
    const { type, description, properties, required, prefixItems, items, enum: words } = expanded
    const inner = (part: unknown) => plain(part, level + 1)
    const kind = [type].flat().find(name => name !== 'null')
    const members = isObject(properties) ? properties : undefined
    const needed = [required ?? []].flat().filter(name => members && Object.hasOwn(members, String(name)))
    const isOfWords = Array.isArray(words) && words.every(word => typeof word === 'string')
    return {
      ...(kind !== undefined && { type: kind }),
      ...(description !== undefined && { description }),
      ...(members && {
        properties: Object.fromEntries(Object.entries(members).map(([name, part]) => [name, inner(part)])),
      }),
      ...(needed.length > 0 && { required: needed }),
      ...(kind === 'array' && { items: inner([prefixItems ?? items].flat()[0]) }),
      ...(isOfWords && { enum: words }),
    }
  }

  /** With what it refers to, all that must hold, and the first of what may. */
  function expand(schema: unknown, level: number): JsonObject {
    partsLeft -= 1
    if (!isObject(schema) || level > MAX_LEVELS || partsLeft < 0) return {}
    const { $ref, allOf, anyOf, oneOf, const: word, ...own } = schema
    const choices = [anyOf ?? oneOf ?? []].flat().filter(choice => isObject(choice) && choice.type !== 'null')
    const parts = [...($ref === undefined ? [] : [partAt(root, $ref)]), ...[allOf ?? []].flat()]
    const all = [...parts, ...choices.slice(0, 1)].map(part => expand(part, level + 1))
    return Object.assign({}, ...all, word === undefined ? {} : { enum: [word] }, own)
  }

  return plain(root)
}

/** What a reference within the schema points to (RFC 6901). */
function partAt(root: unknown, reference: unknown): unknown {
  const steps = String(reference).split('/').slice(1)
  const names = steps.map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<unknown>(
    (part, name) => (isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined),
    root,
  )
}
