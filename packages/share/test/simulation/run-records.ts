import { runOf } from '@agent-task-service/engine'
import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { TaskPlan } from './schedule.ts'

type Run = NonNullable<ReturnType<typeof runOf>>

/** Characters of a run's id. */
const ID_LENGTH = 22

/** What the world saw of a run of the graph. */
export interface RunRecord {
  /** Its place among all runs. */
  readonly nth: number
  /** The run's id: the same for all who take it over. */
  readonly id: string
  readonly replica: number
  /** Place of its task, and whether its body is the other one. */
  readonly task: number
  readonly isOther: boolean
  /** First and last moment at which the graph, a model or a tool worked for it, in milliseconds. */
  readonly from: number
  to: number
  /** What was asked of the model, each try. */
  readonly modelCalls: ModelCall[]
  /** What its tools did. */
  readonly toolCalls: ToolCall[]
  /** Its messages, once the graph has ended. */
  conversation: readonly BaseMessage[] | undefined
}

/** A try of a model call. No two replies have the same words. */
export interface ModelCall {
  /** Its place among all; its reply names it. */
  readonly nth: number
  readonly run: RunRecord
  /** Replies in the conversation so far. */
  readonly turn: number
  /** What the model read, before the conversation and as the conversation. */
  readonly offer: string
  readonly conversation: string
  /** When its reply was complete, in milliseconds; absent: it never was. */
  endedAt?: number
  hasFailed?: boolean
  text?: string
  /** The reply, as `plainConversation` gives it. */
  message?: string
  usage?: { readonly input: number; readonly output: number }
}

export type ToolName = 'act' | 'look' | 'peek'

/** A call for which a tool worked. No two results have the same words. */
export interface ToolCall {
  /** Its place among all; its result names it. */
  readonly nth: number
  readonly run: RunRecord
  readonly name: ToolName
  /** The model's id of the call. */
  readonly id: string
  /** Turn and place in the turn: the same in each run of the task. */
  readonly place: string
  endedAt?: number
}

/** What was asked of models and tools, in the order in which it was. */
export class Records {
  readonly runs: RunRecord[] = []
  readonly modelCalls: ModelCall[] = []
  readonly toolCalls: ToolCall[] = []
  /** Places of calls, by the model's ids. */
  readonly places = new Map<string, string>()
  readonly #ofRun = new WeakMap<Run, RunRecord>()

  begin(run: Run, replica: number, input: string): RunRecord {
    const [, other, task] = /^(other )?task (\d+)$/.exec(input)!
    const moment = performance.now()
    const record: RunRecord = {
      nth: this.runs.length,
      id: idOf(run),
      replica,
      task: Number(task),
      isOther: other !== undefined,
      from: moment,
      to: moment,
      modelCalls: [],
      toolCalls: [],
      conversation: undefined,
    }
    this.#ofRun.set(run, record)
    this.runs.push(record)
    return record
  }

  /** Of the run for which a node or a tool works. */
  recordOf(config?: Parameters<typeof runOf>[0]): RunRecord {
    const run = runOf(config)
    if (!run) throw new Error('expected a run, got none')
    return this.#ofRun.get(run)!
  }

  modelCall(run: RunRecord, messages: readonly BaseMessage[], offered: readonly string[]): ModelCall {
    const [before, conversation] = [
      messages.filter(({ type }) => type === 'system'),
      messages.filter(({ type }) => type !== 'system'),
    ]
    const call: ModelCall = {
      nth: this.modelCalls.length,
      run,
      turn: conversation.filter(({ type }) => type === 'ai').length,
      offer: JSON.stringify([before.map(({ text }) => text), offered]),
      conversation: plainConversation(conversation),
    }
    this.modelCalls.push(call)
    run.modelCalls.push(call)
    return call
  }

  toolCall(run: RunRecord, name: ToolName, id: string): ToolCall {
    const call: ToolCall = { nth: this.toolCalls.length, run, name, id, place: this.places.get(id)! }
    this.toolCalls.push(call)
    run.toolCalls.push(call)
    return call
  }

  /** The model call whose reply begins so. */
  replyIn(text: string): ModelCall | undefined {
    const nth = /^reply (\d+)/.exec(text)?.[1]
    return nth === undefined ? undefined : this.modelCalls[Number(nth)]
  }

  /** The tool call whose result it is. */
  resultIn(text: string): ToolCall | undefined {
    const nth = /^result (\d+)$/.exec(text)?.[1]
    return nth === undefined ? undefined : this.toolCalls[Number(nth)]
  }
}

export function turnOf({ turns }: Pick<TaskPlan, 'turns'>, nth: number) {
  return turns[Math.min(nth, turns.length - 1)]!
}

/** What a model reads of a conversation, as text: equal ones are the same to it. */
export function plainConversation(messages: readonly BaseMessage[]): string {
  return JSON.stringify(
    messages.map(message => {
      const { type, text } = message
      const { tool_calls: calls = [] } = message as AIMessage
      const { tool_call_id, status = '' } = message as ToolMessage
      return [type, text, calls.map(({ id, name, args }) => [id, name, args]), tool_call_id, status]
    }),
  )
}

/** Each key of a call begins with it. */
function idOf({ journal }: Run): string {
  const call = journal.keyed('none', {}, undefined)
  const key = call.key.slice(0, ID_LENGTH)
  call.giveBack()
  return key
}
