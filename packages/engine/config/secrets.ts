/** Which variables are secret, and which texts of them may be in no log line and no reply. */

import {
  isShortSecret,
  MIN_GUESSED_LENGTH,
  MIN_SECRET_LENGTH,
  partsOfSecret,
  passwordsOfUrls,
} from '@agent-task-service/wire/masking'
import { z } from 'zod'
import { SetupError } from '../failures/setup-error.ts'

/** A variable, and the texts of its value that are secret. */
export type NamedSecrets = readonly [variable: string, texts: readonly string[]]

/** Whether `secret()` has marked the type or a part of it: what an optional one wraps, an end of a pipe, a list's items. */
export function isSecret(type: z.core.$ZodType): boolean {
  return markOf(type) !== undefined
}

/** `true`, or what finds the secrets in a text. */
function markOf(type: z.core.$ZodType): true | ((text: string) => string[]) | undefined {
  return foundIn(type, ({ secret }) =>
    secret === true || typeof secret === 'function' ? (secret as true | (() => string[])) : undefined,
  )
}

/** Whether the metadata of a type or a part of it says so. */
export function says(type: z.core.$ZodType, isSo: (metadata: z.core.GlobalMeta) => boolean): boolean {
  return foundIn(type, metadata => isSo(metadata) || undefined) ?? false
}

/** The first that is found in the metadata of a type and its parts. */
function foundIn<Found>(
  type: z.core.$ZodType,
  find: (metadata: z.core.GlobalMeta) => Found | undefined,
  // A type may be a part of itself.
  seen = new Set<z.core.$ZodType>(),
): Found | undefined {
  if (seen.has(type)) return undefined
  seen.add(type)
  const found = find(z.globalRegistry.get(type) ?? {})
  if (found !== undefined) return found
  for (const part of partsOf(type)) {
    const inPart = foundIn(part, find, seen)
    if (inPart !== undefined) return inPart
  }
  return undefined
}

/** Zod's metadata belongs to a type alone; one that is made from it holds it as a part. */
function partsOf(type: z.core.$ZodType): z.core.$ZodType[] {
  const def: z.core.$ZodTypeDef & { readonly shape?: object; getter?(): z.core.$ZodType } = type._zod.def
  return Object.values({ ...def, ...def.shape, lazy: def.getter?.() })
    .flat()
    .filter(part => part instanceof z.core.$ZodType)
}

/** Names of the variables that are secret. */
export function secretNamesIn({ shape }: z.ZodObject): string[] {
  // Zod itself tells of what is no type.
  const isType = (type: unknown) => type instanceof z.core.$ZodType
  return Object.entries(shape).flatMap(([name, type]) => (isType(type) && isSecret(type) ? [name] : []))
}

/** @throws {SetupError} for a variable that only its description calls secret, as was once enough: it would not be masked */
export function assertMarked({ shape }: z.ZodObject): void {
  for (const [name, type] of Object.entries(shape))
    if (!isSecret(type) && says(type, ({ description }) => description?.startsWith('**Secret.**') ?? false))
      throw new SetupError(
        `the variable ${name}: expected secret() in its declaration, got only a description that begins with **Secret.**`,
      )
}

/**
 * The texts to mask, by variable: a secret as it was written, every text in its value and, by themselves, the lines of a key, the secrets in
 * JSON and the passwords of URLs.
 *
 * @param written what the values were made from
 */
export function secretTextsIn(
  variables: z.ZodObject,
  values: Readonly<Record<string, unknown>>,
  written: Readonly<Record<string, string>>,
): NamedSecrets[] {
  return Object.entries(variables.shape).map(([name, type]) => [
    name,
    secretTextsOf(type, values[name], written[name]),
  ])
}

function secretTextsOf(type: z.core.$ZodType, value: unknown, written: string | undefined): string[] {
  const mark = markOf(type)
  if (mark === undefined || value === undefined) return []
  if (mark === true) return textsToMask(value, written)
  return written === undefined ? [] : textsToMask(mark(written))
}

/**
 * Names the variables with a secret that is too short to be masked, a line for each.
 *
 * @param known what is secret in them
 * @param undeclared variables of which only the name may tell
 */
export function tooShortIn(
  known: readonly NamedSecrets[],
  undeclared: Readonly<Record<string, string | undefined>>,
): string[] {
  const names = known.flatMap(([name, texts]) => (hasShortSecret(texts) ? [name] : []))
  const guessed = Object.entries(undeclared).flatMap(([name, value]) =>
    isShortSecret(name, value) && !names.includes(name) ? [name] : [],
  )
  return [
    ...[...new Set(names)].map(name => tooShort(name, MIN_SECRET_LENGTH)),
    ...guessed.map(name => tooShort(name, MIN_GUESSED_LENGTH)),
  ]
}

/** Whether a secret is long enough to be masked. */
export function isMaskable({ length }: string): boolean {
  return length >= MIN_SECRET_LENGTH
}

/** A word of a longer secret is none by itself: `Bearer` of a header. */
function hasShortSecret(texts: readonly string[]): boolean {
  const masked = texts.filter(isMaskable)
  const words = masked.flatMap(text => text.split(/\s+/))
  return texts.some(text => text !== '' && !isMaskable(text) && !words.includes(text))
}

function tooShort(name: string, length: number): string {
  return `${name}: expected ${length} characters or more to mask a secret in logs and replies, got fewer`
}

function textsToMask(value: unknown, written = ''): string[] {
  const inValue = textsIn(value)
  // A transform may have left nothing of it as it was.
  const isWhole = inValue.length > 0 && inValue.every(text => written.includes(text))
  const texts = isWhole || written === '' ? inValue : [...inValue, written]
  const parts = [...texts, written].flatMap(text => [...passwordsOfUrls(text), ...partsOfSecret(text)])
  return [...new Set([...texts, ...parts])]
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
