import { runCode } from '@agent-task-service/starter/code'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { honest, read } from '@agent-task-service/test-support/web/reading'
import { expect, test } from 'vitest'

const result = (code: string, run: object = { type: 'human', text: 'What?' }) =>
  runCode({ code }, { state: { messages: [run] } })

// EVIDENCE-OF docs/reference/threat-model.md: It ends after 1 s of processor time or with 32 MB
test('code that is endless in its result ends with the reason, and other code runs', async () => {
  fakeTime()
  await expect(result('({ get a() { while (true) {} } })')).rejects.toThrow(/^interrupted/)
  expect(await result('1 + 1')).toBe('2')
})

// EVIDENCE-OF docs/reference/shipped-tools.md: what cannot be interrupted ends the reader after 4 s, and the run goes on
//   reading pages
test('one endless step of the interpreter ends the reader, and takes no page from the run', async () => {
  const time = fakeTime()
  const run = { type: 'human', text: 'What?' }
  for (let times = 0; times < 2; times += 1) {
    await result('1', run)
    const endless = result('[].indexOf.call({ length: 2 ** 53 - 1 }, 1)', run).catch(error => error)
    expect(await time.until(endless)).toMatchObject({
      name: 'ToolError',
      message: expect.stringMatching(/^The code took too much time or memory, and was stopped: at most/),
    })
  }
  expect(await read(honest.text, run)).toMatchObject({ passages: [{ text: 'still here' }] })
  expect(await result('2', run)).toBe('2')
})
