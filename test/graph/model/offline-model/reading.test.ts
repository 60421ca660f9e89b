import { expect, test } from 'vitest'
import { declined } from '../../../../graph/model/offline-model/help.ts'
import { readQuestions } from '../../../../graph/model/offline-model/questions.ts'
import { crowd, some } from '../../../support/at-length.ts'

/** Words of every rule, for repetition. */
const WORDS = [
  ...[
    'in ',
    'and 1 ',
    'between a and ',
    'what is ',
    'the ',
    'half of ',
    'square root of ',
    '(',
    'minus ',
    '-',
  ],
  ...[
    '1+',
    '1x',
    '1, ',
    '2^',
    '5% ',
    '3 x ',
    'pi ',
    '! ',
    '% ',
    '²',
    'sqrt(',
    'max(1,',
    'sum of 1 and ',
    '1. ',
  ],
  ...[
    'what time is it in ',
    'Tokyo, ',
    'Tokyo and ',
    'New York in ',
    '3pm in ',
    'when it is ',
    'days until ',
  ],
  ...[
    '1 day and ',
    'an hour ',
    '2026-01-01 ',
    'from 2026-01-01 to ',
    'January 1 ',
    'twenty ',
    'one hundred and ',
  ],
  ...[
    '5 km ',
    'km per ',
    '1 to ',
    'square ',
    '° ',
    'search for ',
    'look up a on ',
    '2+2 and ',
    '2+2\n',
    'please ',
  ],
  ...[
    'answer with just the number ',
    'hello ',
    '"',
    '`',
    '**',
    '\n',
    ' ',
    'aaaa ',
    'a',
    ', and ',
    'é',
    '日本 ',
    "'",
  ],
]
/** Characters: the longest text, the longest calculation, the longest other question. */
const LENGTHS = [4000, 990, 290]
/** Milliseconds of this thread's CPU time. Quiet machines take a tenth; quadratic code took seconds. */
const MOST_CPU = 100

/** Whether it exceeds `most` in every try: compilation or garbage collection may hit any single reading. */
function isSlow(text: string, most: number, read: (text: string) => unknown = readQuestions): boolean {
  const once = () => {
    const before = process.threadCpuUsage()
    read(text)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
  for (let tries = 0; tries < 5; tries++) if (once() <= most) return false
  return true
}

function repeated(words: readonly string[], length: number, random: () => number): string {
  let text = ''
  while (text.length < length) text += words[Math.floor(random() * words.length)]
  return text.slice(0, length)
}

/** Park and Miller's generator: the same texts in every run. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

test.each(LENGTHS)('reads any text of %d characters quickly, whatever rule it repeats', length => {
  const random = generator(20_261)
  const one = some(WORDS, 4).flatMap(word =>
    ['', 'What is ', '2+2 and '].map(lead => `${lead}${repeated([word], length, random)}`.slice(0, length)),
  )
  const mixed = Array.from({ length: crowd(100, 25) }, () => {
    const pool = Array.from({ length: 5 }, () => WORDS[Math.floor(random() * WORDS.length)]!)
    return repeated(pool, length, random)
  })
  const slow = [...one, ...mixed].filter(text => isSlow(text, MOST_CPU)).map(text => text.slice(0, 60))
  expect(slow).toEqual([])
})

test('refuses a megabyte unread', () => {
  expect(readQuestions('2+2 and '.repeat(131_072))).toBeUndefined()
  expect(isSlow('what is '.repeat(131_072), MOST_CPU / 10)).toBe(false)
})

test('declining takes no longer than a few readings', () => {
  const random = generator(20_262)
  const texts = some(WORDS, 4).flatMap(word =>
    [200, 990].map(length => repeated([word, 'love '], length, random)),
  )
  const slow = texts.filter(text => isSlow(text, 4 * MOST_CPU, task => declined(task, [])))
  expect(slow).toEqual([])
})

test('reads at most a dozen questions', () => {
  const ask = (count: number) =>
    readQuestions(Array.from({ length: count }, (_, at) => `What is ${at} + 1?`).join(' '))
  expect(ask(12)).toHaveLength(12)
  expect(ask(13)).toBeUndefined()
})

test('a list may be long, and a sentence may hold a dozen questions', () => {
  const numbers = Array.from({ length: 20 }, (_, at) => at + 1).join(', ')
  expect(readQuestions(`What is the average of ${numbers} and 30?`)).toHaveLength(1)
  expect(readQuestions(Array(12).fill('what time is it in Tokyo').join(' and '))).toHaveLength(12)
})
