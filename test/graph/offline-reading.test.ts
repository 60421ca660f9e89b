import { expect, test } from 'vitest'
import { readQuestions } from '../../graph/model/offline-model/questions.ts'

/** Words of every rule, to be repeated. */
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
const LENGTH = 4000
/** Milliseconds of CPU. Quiet machines take a tenth; what grew with the square of the length took seconds. */
const MOST_CPU = 100

/** The least of several, since compilation and collection fall into any one. */
function cpuOf(text: string): number {
  const once = () => {
    const before = process.cpuUsage()
    readQuestions(text)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  let least = once()
  for (let tries = 0; tries < 4 && least > MOST_CPU / 10; tries++) least = Math.min(least, once())
  return least
}

function repeated(words: readonly string[], random: () => number): string {
  let text = ''
  while (text.length < LENGTH) text += words[Math.floor(random() * words.length)]
  return text.slice(0, LENGTH)
}

/** Park and Miller's generator: the same texts at every run. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

test('no text takes long to read, whatever rule it repeats', () => {
  const random = generator(20_261)
  const one = WORDS.flatMap(word =>
    ['', 'What is ', '2+2 and '].map(lead => `${lead}${repeated([word], random)}`.slice(0, LENGTH)),
  )
  const mixed = Array.from({ length: 100 }, () => {
    const pool = Array.from({ length: 5 }, () => WORDS[Math.floor(random() * WORDS.length)]!)
    return repeated(pool, random)
  })
  const slow = [...one, ...mixed]
    .map(text => ({ text: text.slice(0, 60), cpu: cpuOf(text) }))
    .filter(({ cpu }) => cpu > MOST_CPU)
  expect(slow).toEqual([])
})

test('a megabyte is refused unread', () => {
  expect(readQuestions('2+2 and '.repeat(131_072))).toBeUndefined()
  expect(cpuOf('what is '.repeat(131_072))).toBeLessThan(MOST_CPU / 10)
})

test('a dozen questions are read, and no more', () => {
  const ask = (count: number) =>
    readQuestions(Array.from({ length: count }, (_, at) => `What is ${at} + 1?`).join(' '))
  expect(ask(12)).toHaveLength(12)
  expect(ask(13)).toBeUndefined()
})
