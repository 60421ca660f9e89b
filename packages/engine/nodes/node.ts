import type { BaseMessage } from '@langchain/core/messages'
import type { LangGraphRunnableConfig } from '@langchain/langgraph'
import { RunContext, readContext } from '../run/context.ts'

/** What a node receives in addition to the state. */
export type NodeConfig = LangGraphRunnableConfig<RunContext>

/** The state of any graph whose conversation is `messages`. */
export interface Conversation {
  readonly messages: BaseMessage[]
}

export const contextOf = (config: NodeConfig): RunContext => readContext(config, RunContext)
