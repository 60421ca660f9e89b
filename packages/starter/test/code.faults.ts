import { ToolError } from '@agent-task-service/engine/tool'
import { runCode } from '@agent-task-service/starter/code'
import { holds } from '@agent-task-service/test-support/holds'
import { honest, read, readerReady } from '@agent-task-service/test-support/web/reading'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'

const TASK = 'What?\n\nk,x\na,1\nb,2.5\nc,n/a\n\n{"list": [1, 2]}'

/** Values that do harm when they are read, shown or called. */
const VALUES = [
  ...[
    'tables',
    'tables[0]',
    'tables[0][0]',
    'json',
    'task',
    'pages',
    'globalThis',
    'sum',
    'decimal(3)',
    '1e999',
  ],
  ...[
    'null',
    'undefined',
    '""',
    '"x".repeat(1e6)',
    '[]',
    '{}',
    '10n ** 5000n',
    'Symbol()',
    'new Date(NaN)',
    '-0',
  ],
  'new Proxy({}, { get() { while (true) {} } })',
  'new Proxy([], { ownKeys() { throw null }, getPrototypeOf() { throw 1 } })',
  '{ get a() { return this.a } }',
  '{ toJSON() { return this } }',
  '{ toString() { throw { toString() { while (true) {} } } } }',
  '{ then(done) { done(this) } }',
  '(function* () { while (true) yield 1 })()',
  'new Promise(() => {})',
  'Promise.reject(null)',
  '(async () => { while (true) await null })()',
  'Array(2 ** 32 - 1)',
  '{ length: 2 ** 53 - 1 }',
  'new Map([[{}, new Set([new Map()])]])',
  'Object.create(null)',
  'class { static [Symbol.iterator]() { return this } static next() { return { value: 1 } } }',
].map(value => `(${value})`)

/** What may be done with values. */
const STATEMENTS: readonly ((one: string, other: string) => string)[] = [
  one => `all.push(${one})`,
  one => `console.log(${one})`,
  (one, other) => `all.push(sum([${one}, ${other}]))`,
  (one, other) => `all.push(decimal(${one}).times(${other}))`,
  (one, other) => `all.push(JSON.stringify(${one}, null, ${other}))`,
  (one, other) => `all.push([...${one}].map(each => each + ${other}))`,
  (one, other) => `Object.assign(${one}, ${other})`,
  (one, other) => `Array.prototype.push = ${one}; Promise.prototype.then = ${other}`,
  (one, other) => `Object.prototype.toJSON = () => ${one}; Error.prototype.toString = () => ${other}`,
  (one, other) => `globalThis[${one}] = ${other}`,
  one => `throw ${one}`,
  one => `return ${one}`,
  one => `await ${one}`,
  one => `eval(String(${one}))`,
  one => `for (const each of ${one}) all.push(each)`,
  (one, other) => `Object.setPrototypeOf(${one}, ${other})`,
  one => `all.push(/(x+)+$/.test(${one} + "y"))`,
  () => 'const again = () => again(); again()',
]

beforeAll(readerReady, 120_000)

// EVIDENCE-OF docs/reference/threat-model.md: whatever it does, the next job is done
test('hostile code gives a text or a ToolError, and the next code and page are read', async () => {
  const value = fc.constantFrom(...VALUES)
  const statement = fc.tuple(fc.constantFrom(...STATEMENTS), value, value)
  const program = fc
    .tuple(fc.array(statement, { minLength: 1, maxLength: 5 }), value)
    .map(([statements, last]) => {
      const lines = statements.map(([make, one, other]) => `try { ${make(one, other)} } catch {}`)
      return ['const all = []', ...lines, `[all, ${last}]`].join('\n')
    })
  const config = { state: { messages: [{ type: 'human', text: TASK }] } }
  await holds(
    20,
    fc.asyncProperty(program, async code => {
      const text = await runCode({ code }, config).catch((error: Error) => {
        expect(error).toBeInstanceOf(ToolError)
        return error.message
      })
      expect(text.length).toBeLessThan(20_000)
      expect(text).not.toMatch(/cannot be run at present/)
      expect(await runCode({ code: 'sum(tables[0].slice(0, 2).map(row => row.x))' }, config)).toMatch(
        /^3\.5\n/,
      )
    }),
  )
  expect(await read(honest.text)).toMatchObject({ passages: [{ text: 'still here' }] })
})
