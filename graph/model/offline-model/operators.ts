import type { Found, Text } from './text.ts'

/** Finds one of a table's words at a position; the value is the calculator's notation for it. */
export type Operators = (text: Text, at: number) => Found<string> | undefined

/** Makes a table of operators: each row the words, separated by commas, and their code. */
export function operators(...rows: readonly (readonly [words: string, code: string])[]): Operators {
  const codes = new Map(rows.flatMap(([words, code]) => words.split(', ').map(word => [word, code])))
  const words = [...codes.keys()].sort((a, b) => b.length - a.length).map(source)
  const pattern = new RegExp(words.join('|'), 'y')
  return (text, at) => {
    const found = text.match(pattern, at)
    if (!found) return undefined
    return { end: found.index + found[0].length, value: codes.get(found[0].replace(/ +/g, ' '))! }
  }
}

function source(word: string): string {
  // The x of 5x3 stands before a value, and no word begins there.
  if (word === 'x') return 'x(?= *[\\d(.])'
  const escaped = word.replace(/[+*^/]/g, '\\$&').replaceAll(' ', ' +')
  return /[a-z]$/.test(word) ? `${escaped}(?![a-z\\d_])` : escaped
}
