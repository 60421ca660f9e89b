import { Client } from '@langchain/langgraph-sdk'
import type { Task } from './edit.ts'

export interface StudioRun {
  readonly output: string
  readonly error: string | undefined
  /** Written with `config.writer`. */
  readonly custom: readonly unknown[]
}

interface Message {
  readonly content: string | readonly { readonly text?: string }[]
}

/** LangGraph Studio's server, called by its own client: each run in a new thread, as in Studio's chat. */
export function studioClient(url: string) {
  const client = new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } })
  const run = async (graph: string, { input, config }: Task): Promise<StudioRun> => {
    const { thread_id } = await client.threads.create()
    const stream = client.runs.stream(thread_id, graph, {
      input: { messages: [{ role: 'user', content: input }] },
      ...(config && { context: config }),
      streamMode: ['values', 'custom', 'events'],
    })
    return await runIn(stream)
  }
  return { client, run }
}

async function runIn(
  stream: AsyncIterable<{ readonly event: string; readonly data: unknown }>,
): Promise<StudioRun> {
  let id: string | undefined
  let messages: readonly Message[] = []
  const custom: unknown[] = []
  for await (const { event, data } of stream) {
    if (event === 'metadata') id = (data as { run_id: string }).run_id
    if (event === 'values') messages = (data as { messages?: Message[] }).messages ?? messages
    if (event === 'custom') custom.push(data)
    if (event === 'error') return { output: '', error: (data as { message: string }).message, custom }
    // The server itself ends the stream half a second later.
    if (event === 'events' && isEndOf(id, data)) break
  }
  return { output: textOf(messages.at(-1)), error: undefined, custom }
}

function isEndOf(id: string | undefined, data: unknown): boolean {
  const { event, run_id } = data as { event: string; run_id: string }
  return event === 'on_chain_end' && run_id === id
}

function textOf({ content }: Message = { content: '' }): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')
}
