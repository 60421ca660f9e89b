import { describe, expect, test } from 'vitest'
import { checkSize, tokensIn } from '../../scripts/code-size.ts'

const CODE = `
  const text = \`a \${name} b\`
  const view = <p class="a">hello {name}</p>
  function half(number) {
    return /[/]/.test(text) ? number / 2 : [number, 2]
  }
`

describe('tokens of code', () => {
  test('are its words and signs', () => {
    expect(tokensIn("import { one } from './one.ts'", 'a.ts')).toBe(6)
    expect(tokensIn('export const double = (number: number): number => 2 * number', 'a.ts')).toBe(15)
  })

  test.each([
    ['dense lines', CODE.replaceAll(/\n\s*/g, ';')],
    ['one word in a line', CODE.replaceAll(/(?<=[({=])(?! b)/g, '\n\n  ')],
    ['commas at ends', CODE.replace('2]', '2,]')],
    ['comments', `// why\n${CODE.replace('function', '/** Half of it. @returns one */ function')}`],
  ])('are as many with %s', (_what, other) => {
    expect(other).not.toBe(CODE)
    expect(tokensIn(other, 'a.tsx')).toBe(tokensIn(CODE, 'a.tsx'))
  })

  test('are more with more code', () => {
    expect(tokensIn(`${CODE}half(1)`, 'a.tsx')).toBe(tokensIn(CODE, 'a.tsx') + 4)
  })
})

describe('the limit', () => {
  const raises = [{ tokens: 500, userCan: 'compare two runs' }]

  test.each([5500, 5000, 4500])('allows %i tokens', tokens => {
    expect(() => checkSize(tokens, { tokens: 5000, raises })).not.toThrow()
  })

  test('refuses more code than is named', () => {
    expect(() => checkSize(5501, { tokens: 5000, raises })).toThrow('expected 5500 tokens of code')
    expect(() => checkSize(5001, { tokens: 5000, raises: [] })).toThrow('say in scripts/code-size.json')
  })

  test('refuses a raise that names nothing', () => {
    const unexplained = [{ tokens: 500, userCan: ' ' }]
    expect(() => checkSize(5000, { tokens: 5000, raises: unexplained })).toThrow('what a user can now do')
  })

  test('falls when the code has shrunk', () => {
    expect(() => checkSize(4499, { tokens: 5000, raises })).toThrow('npm run code-size -- --write')
  })
})
