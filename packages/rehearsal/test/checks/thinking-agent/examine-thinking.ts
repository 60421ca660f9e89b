import type { Report } from '@agent-task-service/rehearsal/report'
import { examine } from '../faulty-agents/examine.ts'
import { thinkingAgent } from './thinking-agent.ts'

/** Examines the agent of a seed by all checks. */
export async function examineThinking(seed: number, thinkMs: number): Promise<Report> {
  return await examine({
    does: `does each task in another way (seed ${seed})`,
    Agent: thinkingAgent(seed),
    settings: { thinkMs },
    stalls: true,
  })
}
