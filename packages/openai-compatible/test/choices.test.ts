import { OpenAICompatibleModel } from '@agent-task-service/openai-compatible'
import { startBackend } from '@agent-task-service/test-support/backend'
import { Random } from '@agent-task-service/test-support/random'
import { expect, test } from 'vitest'

type Choice = Readonly<Record<string, unknown>>
const says = (content: string, index?: unknown): Choice => ({ index, delta: { content } })
const role = (index?: unknown): Choice => ({ index, delta: { role: 'assistant', content: '' } })
const ends = (finish_reason: string, index?: unknown): Choice => ({ index, delta: {}, finish_reason })

/** What is read of a reply whose chunks have these choices. */
async function read(chunks: readonly (readonly Choice[])[], isWhole = false) {
  const { url } = await startBackend(response => {
    // As LM Studio calls any reply.
    response.writeHead(200, { 'content-type': 'text/plain' })
    const bodies = chunks.map(choices => JSON.stringify({ id: 'c', choices }))
    response.end(isWhole ? bodies[0] : [...bodies, '[DONE]'].map(body => `data: ${body}\n\n`).join(''))
  })
  const model = new OpenAICompatibleModel({ model: 'm', apiKey: 'k', baseUrl: url, api: 'chat' })
  const { text, response_metadata } = await model.invoke('Go.')
  return `${text} ${response_metadata.finish_reason}`
}

test.each<{ title: string; choices: Choice[][] }>([
  { title: 'index 0', choices: [[role(0)], [says('Hello', 0)], [ends('length', 0)]] },
  { title: 'no index', choices: [[role()], [says('Hello')], [ends('length')]] },
  { title: 'another index', choices: [[role(1)], [says('Hello', 1)], [ends('length', 1)]] },
  {
    title: 'another index for the text alone',
    choices: [[role(0)], [says('Hello', 1)], [ends('length', 0)]],
  },
  { title: 'another index for the end alone', choices: [[role(0)], [says('Hello', 0)], [ends('length', 1)]] },
  { title: 'two in each chunk', choices: [[says('Oh', 1), says('Hello', 0)], [ends('length')]] },
])('the only choice is read, or the first of several: $title', async ({ choices }) => {
  expect(await read(choices)).toBe('Hello length')
})

test('a whole reply: the only choice, or the one with index 0', async () => {
  const whole = (content: string, index: number) => ({
    index,
    message: { role: 'assistant', content },
    finish_reason: 'stop',
  })
  expect(await read([[whole('Hello', 3)]], true)).toBe('Hello stop')
  expect(await read([[whole('Oh', 1), whole('Hello', 0)]], true)).toBe('Hello stop')
})

// EVIDENCE-OF docs/reference/model-servers.md: The only choice of a chunk is read, whatever its `index`; of several, the one with index 0; and
//   of a stream, the one that speaks first.
test('several choices in one stream, in any order of their pieces: all of the one that spoke first, and nothing else', async () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const random = new Random(seed)
    const left = [0, 1, 2].slice(0, random.whole(1, 3)).map(at => {
      const words = Array.from({ length: random.whole(1, 4) }, (_, word) => says(`${at}${word}`, at + seed))
      return [role(at + seed), ...words, ends(`end ${at}`, at + seed)]
    })
    const chunks: Choice[][] = []
    while (left.some(pieces => pieces.length > 0))
      chunks.push([random.pick(left.filter(pieces => pieces.length > 0)).shift() as Choice])
    const contentOf = ({ delta }: Choice) => (delta as { content?: string }).content ?? ''
    const first = contentOf(chunks.flat().find(choice => contentOf(choice) !== '') as Choice)[0]
    const words = chunks
      .flat()
      .map(contentOf)
      .filter(text => text[0] === first)
    expect(await read(chunks), `seed ${seed}`).toBe(`${words.join('')} end ${first}`)
  }
})
