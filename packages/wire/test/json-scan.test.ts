import { JsonScan } from '@agent-task-service/wire/untrusted'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/** What a value holds: each object and list, each further value in one, each name of a member. */
function countOf(value: unknown): { values: number; names: number } {
  if (typeof value !== 'object' || value === null) return { values: 0, names: 0 }
  const inside = Object.values(value).map(countOf)
  return {
    values: inside.reduce((sum, { values }) => sum + values, 1 + Math.max(0, inside.length - 1)),
    names: inside.reduce((sum, { names }) => sum + names, Array.isArray(value) ? 0 : inside.length),
  }
}

test('counts the values and names of any JSON, in pieces of any length', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '[', '{', ',', ':', 'é') })
  const { value } = fc.letrec(tie => ({
    value: fc.oneof({ withCrossShrink: true }, text, fc.integer(), fc.boolean(), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  }))
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 20 }), (value, length) => {
      const scan = new JsonScan()
      const bytes = Buffer.from(JSON.stringify(value))
      for (let at = 0; at < bytes.length; at += length) scan.read(bytes.subarray(at, at + length))
      expect({ values: scan.values, names: scan.names }).toEqual(countOf(value))
    }),
  )
})
