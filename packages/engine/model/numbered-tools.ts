import { nameOf } from '@agent-task-service/messages/offered-tools'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'

/** Of a tool for structured output. LangChain's `createAgent` counts them anew in each call, if their schema has no title. */
const NUMBERED = /^extract-(\d+)$/

interface Named {
  readonly name: string
}

/** Whether LangChain made the name up for this call. */
export function isNumbered(name: string | undefined): boolean {
  return name !== undefined && NUMBERED.test(name)
}

function namesIn(tools: readonly BindToolsInput[]): string[] {
  return tools.map(nameOf).filter(isNumbered)
}

/** For a record: numbers are places among the tools on offer. */
export function toPlaces<Call extends Named>(
  calls: readonly Call[],
  tools: readonly BindToolsInput[],
): Call[] {
  const names = namesIn(tools)
  return calls.map(call =>
    names.includes(call.name) ? { ...call, name: `extract-${names.indexOf(call.name)}` } : call,
  )
}

/** Back from a record: the names on offer now. */
export function fromPlaces<Call extends Named>(
  calls: readonly Call[],
  tools: readonly BindToolsInput[],
): Call[] {
  const names = namesIn(tools)
  return calls.map(call => ({ ...call, name: names[Number(NUMBERED.exec(call.name)?.[1])] ?? call.name }))
}
