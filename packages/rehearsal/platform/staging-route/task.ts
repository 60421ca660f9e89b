import { echoTaskId } from '@agent-task-service/wire/contract'
import { z } from 'zod'
import { parseJsonBytes } from '../../agents/exchange.ts'
import type { RequestFacts } from '../../agents/violations.ts'

/** A run request as the contract defines it, which lists no tool names and forbids no members. */
const runRequest = z.looseObject({
  task_id: z.string().regex(/^(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|test-\d+)$/),
  input: z.string(),
  config: z
    .looseObject({
      system_prompt: z.string().optional(),
      max_tokens: z.int().optional(),
      enabled_tools: z.array(z.string()).optional(),
    })
    .optional(),
})

/** What the platform needs to know of a request. */
export interface ReceivedTask extends RequestFacts {
  /** For the echo in the platform's own answers; "" if there is none. */
  readonly echo: string
  readonly isValid: boolean
}

export function readTask(bytes: Uint8Array): ReceivedTask {
  const body = parseJsonBytes(bytes)
  const isValid = runRequest.safeParse(body).success
  const echo = echoTaskId(body)
  return { echo, isValid, taskId: isValid ? echo : undefined }
}
