import type { Source } from '@agent-task-service/engine/tool'

/** The parts of LangGraph's tool config that are read here. */
export interface CallConfig {
  readonly signal?: AbortSignal | undefined
  readonly configurable?: Readonly<Record<string, unknown>> | undefined
  readonly state?: { readonly messages?: readonly Message[] } | undefined
}

/** Of the conversation. */
interface Message {
  readonly type?: string
  readonly text?: string
  readonly artifact?: { readonly sources?: readonly Source[] } | undefined
}

/** The texts of the task. */
export function taskTexts({ state }: CallConfig): string[] {
  return (state?.messages ?? []).flatMap(({ type, text }) => (type === 'human' && text ? [text] : []))
}
