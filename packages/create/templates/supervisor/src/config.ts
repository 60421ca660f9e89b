import { z } from 'zod'

/** This agent's own variables of the environment. Declare a key with `secret()` of `@agent-task-service/engine/settings`. */
export const variables = z.object({})
