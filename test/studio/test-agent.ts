/** The tests' own agent in LangGraph Studio. */
import { inStudio } from '@agent-task-service/engine/studio'
import { agent as definition } from '@agent-task-service/test-support/agent/test-agent'

export const agent = await inStudio(definition, process.env)
