import { Asked } from '@agent-task-service/messages/asked'
import { OfferedTools } from '@agent-task-service/messages/offered-tools'
import { TextReader } from '@agent-task-service/messages/text-reader'
import { HumanMessage } from '@langchain/core/messages'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/** Of letters that make no word which says something in a mark. */
const word = fc.stringMatching(/^[bgkmqvwxz]{1,5}(?:_[bgkmqvwxz]{1,5}){0,2}$/)
const bars = fc.constantFrom(['<|', '|>'], ['<|', '>'], ['<', '|>'], ['<｜', '｜>'])
/** A control token of some family that nobody has seen. */
const token = fc.tuple(word, bars).map(([word, [open, close]]) => `${open}${word}${close}`)
const space = fc.constantFrom('', '\n', ' ')

/** What is the answer, of a text in pieces of this length. */
function answerOf(text: string, length: number, task = 'Hi'): string {
  const reader = new TextReader(new OfferedTools([]), { asked: new Asked([new HumanMessage(task)]) })
  let answer = ''
  for (let at = 0; at < text.length; at += length) answer += reader.add(text.slice(at, at + length))
  return answer + reader.end()
}

const pieces = fc.integer({ min: 1, max: 40 })

// EVIDENCE-OF docs/reference/model-servers.md: At either end of a reply it is none of the answer, with who speaks
//   (`<|im_start|>assistant`); where two come together, what follows is a turn that the model has made up, and none of it
//   either.
test('a control token at either end of a reply is none of the answer', () => {
  const speaker = fc.constantFrom('', 'assistant', 'assistant\n', 'model\n', '\n')
  fc.assert(
    fc.property(token, speaker, space, token, pieces, (start, speaker, space, end, length) => {
      expect(answerOf(`${start}${speaker}Hello.${space}${end}`, length).trimEnd()).toBe('Hello.')
    }),
  )
})

// EVIDENCE-OF docs/reference/model-servers.md: At either end of a reply it is none of the answer, with who speaks
//   (`<|im_start|>assistant`); where two come together, what follows is a turn that the model has made up, and none of it
//   either.
test('where two of them come together, the model has made up the next turn', () => {
  fc.assert(
    fc.property(token, space, token, pieces, (end, space, start, length) => {
      expect(answerOf(`Hello.${end}${space}${start}user\nAnd you?`, length)).toBe('Hello.')
    }),
  )
})

// EVIDENCE-OF docs/reference/model-servers.md: Within a text, in code, and where the task names it, it stays.
test('within a text, in code, and where the task names it, a control token stays', () => {
  fc.assert(
    fc.property(token, token, pieces, (token, other, length) => {
      for (const text of [`With ${token} it ends.`, `\`${token}\``, `\`${token}${other}\` stays.`])
        expect(answerOf(text, length)).toBe(text)
      for (const text of [`It is ${token}`, `${token} begins it.`])
        expect(answerOf(text, length, `What is ${token}?`)).toBe(text)
    }),
  )
})
