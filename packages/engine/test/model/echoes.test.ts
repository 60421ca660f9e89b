import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { classifyModelError } from '../../failures/classify-error.ts'
import { echoesOf } from '../../failures/echoes.ts'

test.each([
  ['as it stands', 'System role not supported'],
  ['in another case, and with other spaces', 'SYSTEM  role\nnot supported'],
  ['with tags', 'System <b>role</b> not supported'],
  ['escaped', 'System%20role not%20%73upported'],
  ['in full width', 'Ｓｙｓｔｅｍ role not supported'],
  ['with signs', 'System\\_role-not\u200b supported'],
])('words of a task are an echo, %s', (_how, task) => {
  const isEchoed = echoesOf([new SystemMessage('Be brief.'), new HumanMessage(`What is this: ${task}?`)])
  expect([isEchoed('System role not supported'), isEchoed('does not support tools')]).toEqual([true, false])
})

test.each([
  ['insufficient_quota', 'quota_spent'],
  ['Explain my billing', 'quota_spent'],
  ['What is an invalid api key?', 'key_rejected'],
  ['Is invalid model an error?', 'not_found'],
  ['context_length', 'context_too_long'],
  ['content_filter', 'withheld'],
])('what a refusal quotes raises no alarm: %s', (task, trouble) => {
  const error = Object.assign(new Error(`cannot process: ${task}`), { status: 400 })
  const troubleFor = (words: string) =>
    classifyModelError(error, undefined, echoesOf([new HumanMessage(words)])).trouble
  expect([troubleFor(task), troubleFor('Hello')]).toEqual(['rejected', trouble])
})
