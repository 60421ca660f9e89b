import type { Report } from '@agent-task-service/rehearsal/report'
import { examine } from '../faulty-agents/examine.ts'
import { thinkingAgent } from './thinking-agent.ts'

/** Examines the agent of a seed by all checks, however long they take. */
export async function examineThinking(seed: number, thinkMs: number): Promise<Report> {
  return await examine({
    does: `does each task in another way (seed ${seed})`,
    Agent: thinkingAgent(seed),
    settings: { thinkMs },
    stalls: true,
    limits: { totalMs: 60 * 60_000 },
  })
}
