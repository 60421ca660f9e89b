import type { AgentDefinition } from '@agent-task-service/engine'
import { calculate } from './calculator.ts'
import { answerTime } from './time.ts'
import { readerShell, readerState } from './web-search/reader-process.ts'

/** What the tools that ship need of the process. */
export const shippedTools: Pick<AgentDefinition, 'renamedTools' | 'prepare' | 'onStart' | 'warmUp'> = {
  renamedTools: new Map([['table', 'code']]),
  // Web pages are read in processes of their own: what starts them is started now.
  prepare: () => void readerShell(),
  onStart: log => {
    readerState.on('change', trouble => {
      if (trouble === undefined) log.info('web pages are read again')
      else log.warn({ reason: trouble }, 'web pages are not read; searches give what the engine says')
    })
  },
  warmUp: (tools, { provider }) => [
    ...(provider === 'offline' && tools.includes('time')
      ? [() => answerTime({ operation: 'now', to_zones: ['Tokyo'] })]
      : []),
    ...(tools.includes('calculator') ? [() => calculate('1 + 1')] : []),
  ],
}
