import type { PlainMessage, RunEvent, Watch } from '../graph/run/events.ts'
import { costOnTheWire, translator } from './http/event-stream.ts'
import type { Scrub } from './scrub.ts'
import type { WatchRun } from './tasks/run-task.ts'
import { ASK_FOR_RUNS, type ModelMessage, type ToldEvent } from './wire/run-events.ts'

/**
 * Tells the program that started this process what happens in its runs, with what models are sent and answer, if it asks:
 * `npm run staging` does. Both use the IPC channel, which only a parent process has, and only if it opened it.
 */
export function tellParent(scrub: Scrub): WatchRun | undefined {
  if (!process.send) return undefined
  let isAsked = false
  process.on('message', message => {
    isAsked ||= message === ASK_FOR_RUNS
  })
  // The channel keeps no process alive.
  process.channel?.unref()
  let runs = 0
  return (task_id, arrivedAt) => {
    if (!isAsked) return undefined
    runs += 1
    const run = runs
    return watch(scrub, task_id, arrivedAt, event => {
      // A parent that is gone needs nothing.
      if (process.connected) process.send?.({ run, task_id, ...event }, undefined, {}, () => undefined)
    })
  }
}

type Tell = (event: Pick<ToldEvent, 'type' | 'data'>) => void

function watch(scrub: Scrub, taskId: string, arrivedAt: number, tell: Tell): Watch {
  const translate = translator(taskId, scrub)
  let before: string[] = []
  /** The messages after those that the call before was sent too. */
  const sent = (messages: readonly PlainMessage[]) => {
    const all = messages.map(message => JSON.stringify(masked(message, scrub)))
    const differs = all.findIndex((message, index) => message !== before[index])
    const follows = differs < 0 ? all.length : differs
    before = all
    return { follows, messages: all.slice(follows).map(text => JSON.parse(text) as ModelMessage) }
  }
  const more = (event: RunEvent) => {
    if (event.type === 'model_started') return { sent: sent(event.prompt()) }
    if (event.type === 'model_finished' && event.reply)
      return { answer: masked(event.reply.message(), scrub) }
    return {}
  }
  return event => {
    const at = { v: 1, at: Math.round(performance.now() - arrivedAt) / 1000 }
    for (const { type, data } of translate(event)) {
      const members = type === event.type ? more(event) : {}
      tell({ type, data: { ...at, ...data, ...members } })
    }
    if (event.type === 'run_ended')
      tell({ type: 'run_finished', data: { ...at, ...costOnTheWire(event.cost) } })
  }
}

function masked({ role, text, toolCalls, toolCallId }: PlainMessage, scrub: Scrub): ModelMessage {
  return {
    role,
    text: scrub.external(text),
    ...(toolCalls.length > 0 && {
      tool_calls: toolCalls.map(({ id, name, args }) => ({
        id: scrub.external(id),
        name: scrub.external(name),
        arguments: scrub.external(JSON.stringify(args) ?? ''),
      })),
    }),
    ...(toolCallId !== undefined && { tool_call_id: scrub.external(toolCallId) }),
  }
}
