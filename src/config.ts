import { searchNeeds, searchVariables } from '@agent-task-service/starter/web-search/settings'
import { z } from 'zod'

/**
 * This agent's own variables of the environment, with defaults, checks and descriptions. Add yours: graph/parts.ts and the
 * tools get their values. The value of one that is declared with `secret()` is masked in logs and replies.
 */
export const variables = z.object({
  ...searchVariables.shape,
})

/** Which of them must be set, given those that are. */
export const needs = searchNeeds
