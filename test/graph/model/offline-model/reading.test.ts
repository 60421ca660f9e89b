import { expect, test } from 'vitest'
import { readQuestions } from '../../../../graph/model/offline-model/questions.ts'
import { crowd, some } from '../../../support/at-length.ts'

/** Words of every rule, for repetition. */
const WORDS =
  'in |and 1 |between a and |what is |the |half of |square root of |(|minus |-|1+|1x|1, |2^|5% |pi |! |sqrt(|sum of 1 and |1. |what time is it in |Tokyo, |Tokyo and |3pm in |when it is |days until |1 day and |2026-01-01 |from 2026-01-01 to |twenty |5 km |1 to |search for |2+2 and |2+2\n|please |answer with just the number |hello |"|`|**|\n| |a|, and |é|日本 |\''.split(
    '|',
  )
/** Characters: the longest text, the longest calculation, the longest other question. */
const LENGTHS = [4000, 990, 290]
/** Milliseconds of this thread's CPU time. Quiet machines take a quarter; quadratic code took seconds. */
const MOST_CPU = 100

/** Whether it exceeds the limit in every try: compilation or garbage collection may hit any single reading. */
async function isSlow(text: string): Promise<boolean> {
  for (let tries = 0; tries < 5; tries++) {
    const before = process.threadCpuUsage()
    await readQuestions(text)
    const { user, system } = process.threadCpuUsage(before)
    if ((user + system) / 1000 <= MOST_CPU) return false
  }
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

test.each(LENGTHS)('reads any text of %d characters quickly, whatever rule it repeats', async length => {
  const random = generator(20_261)
  const one = some(WORDS, 4).flatMap(word =>
    ['', 'What is ', '2+2 and '].map(lead => `${lead}${repeated([word], length, random)}`.slice(0, length)),
  )
  const mixed = Array.from({ length: crowd(100, 25) }, () => {
    const pool = Array.from({ length: 5 }, () => WORDS[Math.floor(random() * WORDS.length)]!)
    return repeated(pool, length, random)
  })
  const places = ['time difference between Delhi, Lima, Cairo, Paris & Delhi, Lima, Cairo, Paris & ']
  const slow: string[] = []
  for (const text of [...one, ...mixed, repeated(places, length, random)])
    if (await isSlow(text)) slow.push(text.slice(0, 60))
  expect(slow).toEqual([])
})

test('refuses a megabyte unread', async () => {
  expect(await readQuestions('2+2 and '.repeat(131_072))).toHaveProperty('unread')
  expect(await isSlow('what is '.repeat(131_072))).toBe(false)
})
