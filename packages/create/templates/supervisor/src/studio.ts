/** The entry point for LangGraph Studio, named in `langgraph.json`. */

import { inStudio } from '@agent-task-service/engine/studio'
import { agent as definition } from './agent.ts'

export const agent = await inStudio(definition, process.env)
