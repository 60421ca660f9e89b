import { createHash } from 'node:crypto'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import { isObject, type JsonObject } from '@agent-task-service/wire/untrusted'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'

/** Deepest nesting; a schema may refer to itself. */
const MAX_LEVELS = 10

/** Under which facts about a tool are kept: its name, and what stands for its definition, which a server may mend. */
export function factKey(tool: BindToolsInput): `tool ${string}` {
  const definition = JSON.stringify(convertToOpenAITool(tool as never))
  return `tool ${nameOf(tool)} ${createHash('sha256').update(definition).digest('hex').slice(0, 8)}`
}

/** The tool with a schema that every provider takes: nothing but types, descriptions, members, items and words to choose from. */
export function plainTool(tool: BindToolsInput): BindToolsInput {
  const { function: definition } = convertToOpenAITool(tool as never)
  const parameters = { properties: {}, ...plain(definition.parameters ?? {}), type: 'object' }
  return { type: 'function', function: { ...definition, parameters } }
}

function plain(schema: unknown, root = schema, level = 0): JsonObject {
  const { type, description, properties, required, items, enum: words } = expanded(schema, root)
  if (level > MAX_LEVELS) return {}
  const inner = (part: unknown) => plain(part, root, level + 1)
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
    ...(kind === 'array' && { items: inner([items].flat()[0]) }),
    ...(isOfWords && { enum: words }),
  }
}

/** With what it refers to, all that must hold, and the first of what may. */
function expanded(schema: unknown, root: unknown, level = 0): JsonObject {
  if (!isObject(schema) || level > MAX_LEVELS) return {}
  const { $ref, allOf, anyOf, oneOf, const: word, ...own } = schema
  const choices = [anyOf ?? oneOf ?? []].flat().filter(choice => isObject(choice) && choice.type !== 'null')
  const parts = [...($ref === undefined ? [] : [targetOf($ref, root)]), ...[allOf ?? []].flat()]
  const all = [...parts, ...choices.slice(0, 1)].map(part => expanded(part, root, level + 1))
  return Object.assign({}, ...all, word === undefined ? {} : { enum: [word] }, own)
}

/** What a reference within the schema points to (RFC 6901). */
function targetOf(reference: unknown, root: unknown): unknown {
  const steps = String(reference).split('/').slice(1)
  const names = steps.map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<unknown>(
    (part, name) => (isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined),
    root,
  )
}
