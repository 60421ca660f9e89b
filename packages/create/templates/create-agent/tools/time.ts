import { answerTime, timeArguments } from '@agent-task-service/starter/time'
import { tool } from '@langchain/core/tools'

export const time = tool((args, config) => answerTime(args, undefined, config), {
  name: 'time',
  description: 'The current time, zones and weekdays (convert), date arithmetic.',
  schema: timeArguments,
  metadata: { readOnlyHint: true, instantHint: true },
})
