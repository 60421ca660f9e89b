import { maskedCopies } from '@agent-task-service/wire/masking'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { expect, test, vi } from 'vitest'

const masked = (text: string) => text.replaceAll('hunter2', '[redacted]')

test('copies what JSON would, with each text and name masked', () => {
  const value = {
    messages: [
      new HumanMessage('my hunter2'),
      new AIMessage({ content: [{ type: 'text', text: 'hunter2' }] }),
    ],
    at: new Date(0),
    list: ['hunter2', 1, null, true, { deep: 'a hunter2' }],
    absent: undefined,
    'the hunter2': { hunter2: 1 },
    custom: { toJSON: (key: string) => `hunter2 under ${key}` },
    bytes: Buffer.from('ab'),
  }
  expect(maskedCopies(masked)(value)).toEqual(JSON.parse(masked(JSON.stringify(value))))
})

test('what changes later does not change the copy', () => {
  const value = { list: [{ text: 'before' }] }
  const copy = maskedCopies(masked)(value)
  value.list[0]!.text = 'hunter2'
  expect(copy).toEqual({ list: [{ text: 'before' }] })
})

test('masks a text once for all copies, but remembers no more than a million characters', () => {
  const mask = vi.fn(masked)
  const copy = maskedCopies(mask)
  const texts = Array.from({ length: 6 }, (_, n) => `${n}`.padEnd(300_000, 'x'))
  copy(texts.slice(0, 3))
  copy([...texts.slice(0, 3), [texts[0]]])
  expect(mask).toHaveBeenCalledTimes(3)
  copy(texts.slice(3))
  expect(mask).toHaveBeenCalledTimes(6)
  copy(texts[0])
  expect(mask).toHaveBeenCalledTimes(7)
})
