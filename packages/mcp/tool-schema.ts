import { isDeepStrictEqual } from 'node:util'
import { isObject, truncate } from '@agent-task-service/wire/untrusted'
import { FORMS, isText, NAMES, REFERENCES, type Schema, schemasIn, TEXTS } from './schema-keywords.ts'

/** A server's schema as the model gets it. */
export interface ToolSchema {
  readonly schema: Readonly<Schema> & { readonly type: 'object' }
  /** Keywords of which something was left out. */
  readonly leftOut: readonly string[]
}

/** Longest schema, in characters of JSON, since it is sent with every request to the model. */
const MAX_LENGTH = 20_000
/** How long each text of a longer one may be, until it is short enough. */
const TEXT_LENGTHS = [200, 0]
/** Characters that a schema within it takes at least: `{},`. */
const SHORTEST_PART = 3
/** Deepest nesting: others read schemas recursively. */
const MAX_LEVELS = 200

/**
 * A valid JSON Schema of an object, in draft 7 and 2020-12 alike: a single bad one makes a provider refuse the whole request,
 * and with it the run. What is no schema in any draft is left out, so that it allows more: the server still checks. OpenAI
 * accepts no combinators at the top level and no object without properties.
 *
 * @returns `undefined` if it is too long even without texts
 */
export function readSchema(given: unknown): ToolSchema | undefined {
  const leftOut = new Set<string>()
  if (!isObject(given)) leftOut.add('inputSchema')
  const {
    anyOf: _any,
    oneOf: _one,
    allOf: _all,
    not: _not,
    enum: _enum,
    ...top
  } = isObject(given) ? given : {}
  if (top.type !== undefined && top.type !== 'object') leftOut.add('type')
  const text = jsonOf({ properties: {}, ...top, type: 'object' })
  const schema: Schema = JSON.parse(text)
  if (text.length > MAX_LENGTH && !isShortened(schema, leftOut)) return undefined
  new SchemaRepair(schema, leftOut).run()
  const mended = JSON.stringify({ ...schema, properties: schema.properties ?? {} })
  return mended.length > MAX_LENGTH ? undefined : { schema: JSON.parse(mended), leftOut: [...leftOut] }
}

/** As JSON in which what nests deeper than others read is null. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(withinLevels(value))
}

function withinLevels(value: unknown, levels = MAX_LEVELS): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return null
  if (Array.isArray(value)) return value.map(one => withinLevels(one, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withinLevels(one, levels - 1)]))
}

/** Whether it becomes short enough by cutting its texts. */
function isShortened(schema: Schema, leftOut: Set<string>): boolean {
  const parts = [schema]
  for (const part of parts) {
    for (const child of schemasIn(part)) parts.push(child)
    if (parts.length > MAX_LENGTH / SHORTEST_PART) return false
  }
  return TEXT_LENGTHS.some(length => {
    for (const part of parts) cutTexts(part, length, leftOut)
    return JSON.stringify(schema).length <= MAX_LENGTH
  })
}

function cutTexts(schema: Schema, length: number, leftOut: Set<string>): void {
  for (const keyword of TEXTS) {
    const text = schema[keyword]
    if (!isText(text) || text.length <= length) continue
    schema[keyword] = length === 0 ? undefined : truncate(text, length)
    leftOut.add(keyword)
  }
}

/** Mends a schema in place, by what each keyword may have. Nothing is compiled: that takes a second for some of 20 kB. */
class SchemaRepair {
  readonly #root: Schema
  readonly #leftOut: Set<string>
  /** Schemas within it, outer ones first, each with the one at which its references begin: the whole, or one with an `$id`. */
  readonly #parts = new Map<unknown, Schema>()
  readonly #named = new Map<string, Schema>()
  /** What references point to, by the schema that holds the reference. */
  readonly #targets = new Map<Schema, unknown>()
  /** Those of which something was left out, or of what they hold. */
  readonly #damaged = new Set<unknown>()
  #places: ReadonlyMap<unknown, string> | undefined

  constructor(root: Schema, leftOut: Set<string>) {
    this.#root = root
    this.#leftOut = leftOut
  }

  run(): void {
    this.#collect(this.#root, this.#root)
    // It grows meanwhile.
    for (const [part, document] of this.#parts) this.#resolve(part as Schema, document)
    const parts = [...this.#parts.keys()] as Schema[]
    for (const part of parts.toReversed()) this.#mend(part)
    for (const part of parts) this.#refer(part)
  }

  #collect(schema: Schema, outer: Schema): void {
    const { $id, id, $anchor, $dynamicAnchor } = schema
    const anchors = [$anchor, $dynamicAnchor].filter(isText).map(name => `#${name}`)
    const ids = [$id, id].filter(isText).map(name => name.replace(/#$/, ''))
    for (const name of [...anchors, ...ids]) this.#named.set(name, schema)
    const document = isText($id) && !$id.startsWith('#') ? schema : outer
    this.#parts.set(schema, document)
    for (const child of schemasIn(schema)) if (!this.#parts.has(child)) this.#collect(child, document)
  }

  #resolve(part: Schema, document: Schema): void {
    const references = REFERENCES.map(keyword => part[keyword]).filter(isText)
    const target = references.map(one => this.#targetOf(one, document)).find(one => one !== undefined)
    if (target !== undefined) this.#targets.set(part, target)
  }

  /** The schema that a reference points to; `undefined` if it is not in this one. */
  #targetOf(reference: string, from: Schema): unknown {
    const [name = '', path = ''] = reference.split('#')
    const isPlace = path === '' || path.startsWith('/')
    const document = isPlace && name === '' ? from : this.#named.get(isPlace ? name : reference)
    let target: unknown = document
    let isOurs = true
    for (const key of keysOf(path)) {
      if (this.#parts.has(target)) isOurs = FORMS.has(key)
      target = memberOf(target, key)
    }
    // Some keep schemas under keywords of their own.
    if (document && !isOurs && isObject(target) && !this.#parts.has(target)) this.#collect(target, document)
    return typeof target === 'boolean' || this.#parts.has(target) ? target : undefined
  }

  /** Leaves out what does not fit. Inner schemas are mended before outer ones. */
  #mend(part: Schema): void {
    modernize(part)
    const given = { ...part }
    for (const [keyword, value] of Object.entries(given)) {
      const form = FORMS.get(keyword)
      if (form) part[keyword] = form(value, given)
    }
    const lost = Object.keys(given).filter(keyword => !isDeepStrictEqual(given[keyword], part[keyword]))
    const refers = REFERENCES.some(keyword => part[keyword] !== undefined)
    if (refers && !this.#leadsOn(part)) {
      this.#targets.delete(part)
      lost.push('$ref')
    }
    for (const keyword of lost) this.#leftOut.add(keyword)
    if (lost.length > 0 || schemasIn(part).some(child => this.#damaged.has(child))) this.#damaged.add(part)
    this.#widen(part, given)
  }

  /** Whether its reference leads to a schema, and not only from one reference to the next and back to itself. */
  #leadsOn(part: Schema): boolean {
    const way = new Set<unknown>()
    let at: unknown = part
    for (; at !== undefined && !way.has(at); at = this.#targets.get(at as Schema)) way.add(at)
    return this.#targets.has(part) && at !== part
  }

  /** Leaves out as well what would allow less without what was left out. */
  #widen(part: Schema, given: Schema): void {
    const isPoorer = (keyword: string) => sizeOf(part[keyword]) < sizeOf(given[keyword])
    if (isPoorer('properties') || isPoorer('patternProperties'))
      Object.assign(part, { additionalProperties: undefined, unevaluatedProperties: undefined })
    for (const keyword of ['if', 'not']) if (this.#damaged.has(part[keyword])) part[keyword] = undefined
  }

  /** Has it refer by place, from the top, which needs no names. */
  #refer(part: Schema): void {
    const target = this.#targets.get(part)
    const { $ref } = part
    for (const keyword of [...NAMES, ...REFERENCES]) part[keyword] = undefined
    if (target === undefined) return
    this.#places ??= placesIn(this.#root)
    const places = [$ref, this.#places.get(target)]
    part.$ref = places.find(place => isPlace(place) && valueAt(this.#root, place) === target)
    if (part.$ref === undefined) this.#leftOut.add('$ref')
  }
}

/** Puts words of older drafts in those of 2020-12, by which providers check. */
function modernize(schema: Schema): void {
  for (const bound of ['Minimum', 'Maximum']) {
    const isExclusive = schema[`exclusive${bound}`]
    if (typeof isExclusive === 'boolean')
      schema[`exclusive${bound}`] = isExclusive ? schema[bound.toLowerCase()] : undefined
  }
  const { items, additionalItems = {} } = schema
  if (Array.isArray(items) && schema.prefixItems === undefined)
    Object.assign(schema, { prefixItems: items, items: additionalItems, additionalItems: undefined })
}

function sizeOf(value: unknown): number {
  return Object.keys(value ?? {}).length
}

/** Whether it refers by a JSON pointer from the top (RFC 6901). */
function isPlace(reference: unknown): reference is string {
  return isText(reference) && /^#(\/|$)/.test(reference)
}

/** The steps of a JSON pointer in an address; one that is not well encoded is taken as it stands. */
function keysOf(pointer: string): string[] {
  const steps = pointer.split('/').slice(1)
  return steps.map(step => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Schema)[key]
    : undefined
}

function valueAt(root: Schema, place: string): unknown {
  return keysOf(place).reduce<unknown>(memberOf, root)
}

/** The place of each object and list. */
function placesIn(value: unknown, place = '#', places = new Map<unknown, string>()): Map<unknown, string> {
  if (typeof value !== 'object' || value === null) return places
  places.set(value, place)
  for (const [name, one] of Object.entries(value)) {
    const step = name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')
    placesIn(one, `${place}/${encodeURIComponent(step).replaceAll('%24', '$')}`, places)
  }
  return places
}
