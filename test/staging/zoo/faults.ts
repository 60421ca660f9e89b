import { answerFaults } from './answer-faults.ts'
import type { Fault } from './fault.ts'
import { healthFaults } from './health-faults.ts'
import { inputFaults } from './input-faults.ts'
import { logFaults } from './log-faults.ts'
import { metricsFaults } from './metrics-faults.ts'
import { replyFaults } from './reply-faults.ts'
import { stateFaults } from './state-faults.ts'

export { timeFaults } from './time-faults.ts'

export const faults: readonly Fault[] = [
  ...healthFaults,
  ...replyFaults,
  ...metricsFaults,
  ...stateFaults,
  ...answerFaults,
  ...inputFaults,
  ...logFaults,
]
