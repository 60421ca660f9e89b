import { runOf } from '@agent-task-service/engine'
import { withNotice } from '@agent-task-service/engine/nodes'
import type { SystemMessage } from '@langchain/core/messages'
import { createMiddleware } from 'langchain'

const NOTICE = 'No tool can be called any more: answer with what is known so far.'

/** Asks for an answer, without tools, when time, steps or tokens of the run are nearly used up. */
export const answerNearLimits = createMiddleware({
  name: 'AnswerNearLimits',
  wrapModelCall: async (request, handler) => {
    const wrapUp = runOf(request.runtime)?.budget.wrapUp
    if (wrapUp === undefined) return await handler(request)
    const [system, ...messages] = withNotice([request.systemMessage, ...request.messages], NOTICE)
    return await handler({
      ...request,
      toolChoice: 'none',
      // Tells the log why.
      modelSettings: { ...request.modelSettings, wrapUp },
      systemMessage: system as SystemMessage,
      messages,
    })
  },
})
