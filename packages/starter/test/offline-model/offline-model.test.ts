import { OfflineModel } from '@agent-task-service/starter/offline-model'
import { calculator, createTime } from '@agent-task-service/test-support/agent/tools'
import { testService } from '@agent-task-service/test-support/service'
import { AIMessage, type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { describe, expect, test } from 'vitest'

const model = new OfflineModel()
const tools = [calculator, createTime()].map(tool => convertToOpenAITool(tool))
const invoke = async (messages: Parameters<OfflineModel['invoke']>[0], options = {}) =>
  (await model.invoke(messages, options)) as AIMessage

/** A conversation in which the first turn's calls have these results. */
async function answered(question: string, ...results: (string | { error: string })[]) {
  const asked = new HumanMessage(question)
  const calls = await invoke([asked], { tools })
  const messages = results.map((result, index) => {
    const isError = typeof result !== 'string'
    return new ToolMessage({
      content: isError ? result.error : result,
      tool_call_id: calls.tool_calls?.[index]?.id ?? '',
      status: isError ? 'error' : 'success',
    })
  })
  return [asked, calls, ...messages]
}

const SEVERAL = 'What is 2+2? What is 1/0, and what is 3*3?'

describe('a turn', () => {
  // EVIDENCE-OF docs/reference/errors.md: The agent uses the offline model, and every tool it called failed; `error` has the reasons.
  test('asks all questions at once and answers them in order, an error as an error', async () => {
    const { run } = await testService()
    expect(await run(SEVERAL)).toMatchObject({
      status: 'success',
      output: expect.stringMatching(/^2 \+ 2 = 4\nThis could not be done\. Error: .+\n3 \* 3 = 9$/),
      metrics: { steps: 5 },
    })
  })

  test.each([
    ['What day of the week is 2026-02-30?', '2026-02'],
    ['When it is 25:00 in Tokyo, what time is it in Berlin?', '25'],
  ])('%s: passes on what the time tool finds wrong', async (task, reason) => {
    const { run } = await testService()
    const error = expect.stringMatching(`^time could not do this: .*${reason}`)
    expect(await run(task)).toMatchObject({ status: 'error', output: '', metrics: {}, error })
  })

  // EVIDENCE-OF docs/configuration.md [Search the web for cats is an error if all its tools failed, and is retried afresh each
  //   time]: | `WIKIPEDIA_URL` |
  // EVIDENCE-OF docs/reference/errors.md: The agent uses the offline model, and every tool it called failed; `error` has the reasons.
  test.each([
    ['1/0', 'calculator could not do this: Division by zero: the result is undefined.'],
    ['1/0? 5 kg to miles?', 'calculator could not do this: Division by zero'],
    ['1/0? 5 kg to miles?', 'calculator could not do this: Cannot convert kg to miles'],
    [
      'Search the web for cats',
      'web_search could not do this: 127.0.0.1:9 could not be reached (ECONNREFUSED).',
    ],
  ])('%s is an error if all its tools failed, and is retried afresh each time', async (task, reason) => {
    const { run, lines } = await testService({ WIKIPEDIA_URL: 'http://127.0.0.1:9' })
    const id = '6f9619ff-8b86-4011-b42d-00c04fc964ff'
    for (const _ of [1, 2])
      expect(await run(task, {}, id)).toMatchObject({
        status: 'error',
        error: expect.stringContaining(reason),
      })
    expect(lines.map(({ msg, stop }) => [msg, stop])).toEqual([
      ['run', 'tool_failed'],
      ['run', 'tool_failed'],
    ])
  })

  test('without tools answers with the results so far', async () => {
    const messages = await answered(SEVERAL, '2 + 2 = 4', { error: 'Not run: 3 steps.' })
    const reply = await invoke(messages)
    expect(reply.text).toBe('2 + 2 = 4\nThis could not be done. Not run: 3 steps.')
    expect(reply.tool_calls).toEqual([])
  })

  // EVIDENCE-OF docs/reference/errors.md: The task needs a language model or a tool that is not enabled, but the agent uses the offline
  //   model
  test('needs the tools that the question calls for', async () => {
    const { run, lines } = await testService()
    expect(await run('What is 2+2?', { enabled_tools: ['time'] })).toMatchObject({
      status: 'error',
      error: expect.stringContaining('needs the tool calculator'),
    })
    expect(lines.at(-1)).toMatchObject({ msg: 'run', stop: 'offline_model' })
  })

  // EVIDENCE-OF docs/reference/errors.md: The task needs a language model or a tool that is not enabled, but the agent uses the offline
  //   model
  test('needs a language model for everything else', async () => {
    const { run, lines } = await testService()
    expect(await run('Write me a poem')).toMatchObject({ status: 'error', output: '', metrics: {} })
    expect(lines.at(-1)).toMatchObject({ msg: 'run', stop: 'offline_model' })
  })

  test('reads only the last question', async () => {
    const messages = [...(await answered('2+2', '2 + 2 = 4')), new AIMessage('4'), new HumanMessage('3*3')]
    expect((await invoke(messages, { tools })).tool_calls).toMatchObject([{ args: { expression: '3*3' } }])
  })
})

describe('usage', () => {
  test('stays within maxTokens: the answer is cut, and says so', async () => {
    const messages = await answered('2+2', 'one two three four five six seven eight nine ten')
    const whole = await invoke(messages)
    expect(whole.response_metadata.finish_reason).toBe('stop')
    const cut = (await new OfflineModel({ maxTokens: 4 }).invoke(messages)) as AIMessage
    expect(whole.text.startsWith(cut.text)).toBe(true)
    expect(cut.text).toBe('one two three four')
    expect(cut.usage_metadata?.output_tokens).toBe(4)
    expect(cut.response_metadata.finish_reason).toBe('length')
    const none = await new OfflineModel({ maxTokens: 1 })
      .bindTools([calculator])
      .invoke([new HumanMessage('2+2')])
    expect(none).toMatchObject({
      content: '',
      tool_calls: [],
      response_metadata: { finish_reason: 'length' },
    })
  })
})

describe('a stream', () => {
  /** The reply, and the words that handlers are told of before it. */
  const collect = async (messages: Parameters<OfflineModel['stream']>[0], options = {}) => {
    const words: string[] = []
    const callbacks = [{ handleLLMNewToken: (word: string) => void words.push(word) }]
    let whole: AIMessageChunk | undefined
    for await (const piece of await model.stream(messages, { ...options, callbacks }))
      whole = piece as AIMessageChunk
    return { whole: whole!, words }
  }

  test('adds up to the reply of invoke', async () => {
    const asked = [new HumanMessage(SEVERAL)]
    const calls = await invoke(asked, { tools })
    const { whole } = await collect(asked, { tools })
    expect(whole).toMatchObject({ tool_calls: calls.tool_calls, usage_metadata: calls.usage_metadata })

    const messages = await answered(SEVERAL, 'a  = 1', 'b\n', ' c = 3 ')
    const reply = await invoke(messages)
    const { whole: text, words } = await collect(messages)
    expect([text.text, words.join('')]).toEqual([reply.text, reply.text])
    expect(text.usage_metadata).toMatchObject({ ...reply.usage_metadata })
    expect(text.response_metadata.finish_reason).toBe('stop')
    expect(words.length).toBeGreaterThan(4)
  })

  test('and a reply both end with the signal', async () => {
    const signal = AbortSignal.abort(new Error('over'))
    const asked = [new HumanMessage('2+2')]
    await expect(model.invoke(asked, { tools, signal })).rejects.toThrow()
    await expect(collect(asked, { tools, signal })).rejects.toThrow()
    await expect(model._generate(asked, { tools, signal })).rejects.toThrow('over')
  })
})
