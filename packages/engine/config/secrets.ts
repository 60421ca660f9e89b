/** Which variables are secret, and which texts of them may be in no log line and no reply. */

import { partsOfSecret, passwordsOfUrls } from '@agent-task-service/wire/masking'
import { z } from 'zod'
import { SetupError } from '../failures/setup-error.ts'

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
  return Object.entries(shape).flatMap(([name, type]) => (isSecret(type) ? [name] : []))
}

/** @throws {SetupError} for a variable that only its description calls secret, as was once enough: it would not be masked */
export function assertMarked({ shape }: z.ZodObject): void {
  for (const [name, type] of Object.entries(shape))
    if (!isSecret(type) && isCalledSecret(type))
      throw new SetupError(
        `the variable ${name}: expected secret() in its declaration, got only a description that begins with **Secret.**`,
      )
}

function isCalledSecret(type: z.core.$ZodType): boolean {
  return says(type, ({ description }) => description?.startsWith('**Secret.**') ?? false)
}

/**
 * The texts to mask: a secret as it was written, every text in its value and, by themselves, the lines of a key, the secrets in
 * JSON and the passwords of URLs.
 *
 * @param written what the values were made from
 */
export function secretTextsIn(
  variables: z.ZodObject,
  values: Readonly<Record<string, unknown>>,
  written: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(variables.shape).flatMap(([name, type]) => {
    const mark = markOf(type)
    const [value, text] = [values[name], written[name]]
    if (mark === undefined || value === undefined) return []
    if (mark === true) return textsToMask(value, text)
    return text === undefined ? [] : textsToMask(mark(text))
  })
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
