/** The tests' own agent in LangGraph Studio. */
import { inStudio } from '@agent-task-service/engine/studio'
import { agent as definition } from '../support/agent/test-agent.ts'

export const agent = await inStudio(definition, process.env)
