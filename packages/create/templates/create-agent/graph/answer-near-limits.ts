import { runOf } from '@agent-task-service/engine'
import { withNotice } from '@agent-task-service/engine/nodes'
import { createMiddleware } from 'langchain'

/** Asks for an answer, without tools, when time, steps or tokens of the run are nearly used up. */
export const answerNearLimits = createMiddleware({
  name: 'AnswerNearLimits',
  wrapModelCall: async (request, handler) => {
    const wrapUp = runOf(request.runtime)?.budget.wrapUp
    if (wrapUp === undefined) return await handler(request)
    return await handler({
      ...request,
      toolChoice: 'none',
      // Tells the log why.
      modelSettings: { ...request.modelSettings, wrapUp },
      messages: withNotice(
        request.messages,
        'No tool can be called any more: answer with what is known so far.',
      ),
    })
  },
})
