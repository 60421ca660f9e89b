import { cpuMsOf } from '@agent-task-service/test-support/cpu-time'
import { expect, test } from 'vitest'
import { callsOf } from './calls.ts'

/** Words of every rule, for repetition. */
const WORDS =
  'in |and 1 |, and |what is |the |square root of |(|- |-|1+|1x|1, |1,|2^|5% |. |1.|average of 1 and |1 to the power of |what time is it in |Tokyo, |Tokyo and |3pm in |when it is |how many days are there between 1 |days after 1 |2026-01-01 |how many a are in 1 |twenty |5 km |1 to |per |/a|search the web for |2+2 and |2+2\n|please |answer with the number |"|\n| |a|, and |é|日本 |\''.split(
    '|',
  )
/** Characters: the longest text, the longest question, another. */
const LENGTHS = [4000, 500, 290]
/** Milliseconds of this thread's CPU time. Quiet machines take a quarter; quadratic code took seconds. */
const MOST_CPU = 100

/** Whether it exceeds the limit in every try: compilation or garbage collection may hit any single reading. */
async function isSlow(text: string): Promise<boolean> {
  for (let tries = 0; tries < 5; tries++) {
    if ((await cpuMsOf(() => callsOf(text).catch(() => {}))) <= MOST_CPU) return false
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
  const one = WORDS.flatMap(word =>
    ['', 'What is ', 'What time is it in ', 'How many days are there between '].map(lead =>
      `${lead}${repeated([word], length, random)}`.slice(0, length),
    ),
  )
  const mixed = Array.from({ length: 100 }, () => {
    const pool = Array.from({ length: 5 }, () => WORDS[Math.floor(random() * WORDS.length)]!)
    return repeated(pool, length, random)
  })
  const slow: string[] = []
  for (const text of [...one, ...mixed]) if (await isSlow(text)) slow.push(text.slice(0, 60))
  expect(slow).toEqual([])
})

test('refuses a megabyte unread', async () => {
  await expect(callsOf('2+2 and '.repeat(131_072))).rejects.toThrow('did not understand')
  expect(await isSlow('what is '.repeat(131_072))).toBe(false)
})
