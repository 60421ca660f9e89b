import { ScriptedModel } from '@agent-task-service/engine/testing'
import { testService } from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import { tool as langchainTool, type StructuredToolInterface } from '@langchain/core/tools'
import { expect, test } from 'vitest'
import { z } from 'zod'

const SAME = { readOnlyHint: true, idempotentHint: true }

/** A tool that returns the number of the call, with the given declaration. */
function counter(name: string, metadata: Record<string, unknown>) {
  const calls: object[] = []
  const count = (args: object) => `${name} ${calls.push(args)}`
  return {
    calls,
    tool: langchainTool(count, { name, description: name, schema: z.looseObject({}), metadata }),
  }
}

interface Call {
  readonly name: string
  readonly args?: object
}

/** Runs turns of tool calls, then the answer; returns what the model read for each call. */
async function runTurns(tools: StructuredToolInterface[], turns: readonly (readonly Call[])[]) {
  const script = [...turns.map(toolCalls => ({ toolCalls })), 'Done.']
  const model = new ScriptedModel(script)
  const service = await testService({}, { models: [model.named()], tools })
  const reply = await service.run('Count')
  const { messages = [] } = model.requests.at(-1) ?? {}
  const results = messages.filter(({ type }) => type === 'tool').map(({ text }) => text)
  return { reply, results, requests: model.requests, line: service.lines.at(-1) }
}

// EVIDENCE-OF docs/reference/tool-rules.md: Set `idempotentHint: true` too if the same call again changes nothing more, even
//   without its key: it is then repeated without asking.
test.each([{}, { readOnlyHint: true }, { idempotentHint: true }])(
  'a tool that declares %j is called each time, however often',
  async hints => {
    const { tool, calls } = counter('sum', hints)
    const { line, results } = await runTurns(
      [tool],
      Array.from({ length: 6 }, () => [{ name: 'sum' }]),
    )
    expect(results).toEqual([1, 2, 3, 4, 5, 6].map(number => `sum ${number}`))
    expect(calls).toHaveLength(6)
    expect(line).toMatchObject({ stop: 'answer' })
  },
)

// EVIDENCE-OF docs/reference/errors.md: The model made the same tool calls three times in a row, to tools that return the same each time,
//   and was asked to answer with what it had
// EVIDENCE-OF docs/reference/tool-rules.md: With `readOnlyHint: true` and `idempotentHint: true`, three turns in a row with
//   the same calls make the agent ask the model for its answer
test('after the third repetition in a row the model is asked to answer, without tools', async () => {
  const { tool, calls } = counter('sum', SAME)
  const { reply, requests, line } = await runTurns(
    [tool],
    Array.from({ length: 3 }, () => [{ name: 'sum' }]),
  )
  expect(calls).toHaveLength(3)
  expect(reply).toMatchObject({ status: 'success', output: 'Done.', metrics: { steps: 7 } })
  expect(line).toMatchObject({ status: 'success', stop: 'repeated_calls' })
  expect(requests.map(({ tools }) => tools.length)).toEqual([1, 1, 1, 0])
  expect(requests[3]!.messages.at(-1)!.text).toMatch(
    /made several times in a row\. No tool can be called any more: .*if a part is missing/,
  )
})

test('a model that asks for something new continues', async () => {
  const { tool } = counter('sum', SAME)
  const turns = [[1], [1], [1, 2], [1, 2]].map(numbers => numbers.map(a => ({ name: 'sum', args: { a } })))
  const { line, requests } = await runTurns([tool], turns)
  expect(requests).toHaveLength(5)
  expect(line).toMatchObject({ stop: 'answer' })
})

// EVIDENCE-OF docs/reference/tool-rules.md: Eight of one tool in a run; further ones wait
test('at most eight calls of one tool run at once, and all get answers', async () => {
  const gates: (() => void)[] = []
  let [now, most] = [0, 0]
  const wait = async ({ n }: { n: number }) => {
    now += 1
    most = Math.max(most, now)
    await new Promise<void>(resolve => gates.push(resolve))
    now -= 1
    return `${n}`
  }
  const slow = langchainTool(wait, { name: 'slow', description: 'slow', schema: z.object({ n: z.number() }) })
  const other = counter('other', {})
  const toolCalls = [
    ...Array.from({ length: 30 }, (_, n) => ({ name: 'slow', args: { n } })),
    ...Array.from({ length: 10 }, () => ({ name: 'other' })),
  ]
  const model = new ScriptedModel([{ toolCalls }, 'Done.'])
  const service = await testService({}, { models: [model.named()], tools: [slow, other.tool] })
  const reply = service.run('Count')
  // Other tools do not wait behind it.
  await until(() => gates.length === 8 && other.calls.length === 10)
  for (let n = 0; n < 30; n += 1) {
    await until(() => gates.length > n)
    gates[n]!()
  }
  expect(await reply).toMatchObject({ status: 'success', metrics: { steps: 42 } })
  expect(most).toBe(8)
  const results = model.requests[1]!.messages.filter(({ type }) => type === 'tool').map(({ text }) => text)
  expect(results.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, n) => `${n}`))
})
