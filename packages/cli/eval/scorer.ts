import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '@agent-task-service/rehearsal/command-line'
import type { KVMap } from 'langsmith/schemas'
import { z } from 'zod'

/** What a scorer receives, as LangSmith's evaluators do. */
export interface Scored {
  /** The task's `input`, and its `config` if it has one. */
  readonly inputs: KVMap
  /** The reply as received. */
  readonly outputs: KVMap
  /** The task's `expect`: see `Expectation`. */
  readonly referenceOutputs?: KVMap
}

const score = z.object({
  key: z.string(),
  score: z.union([z.boolean(), z.number()]),
  comment: z.string().nullish(),
})
const scores = z.array(score).min(1)

type Scores = z.infer<typeof score> | z.infer<typeof scores>

/** A judgement of one's own: an evaluator of LangSmith. An answer is right if each score is `true` or 1. */
export type Scorer = (scored: Scored) => Scores | Promise<Scores>

/**
 * Loads a scorer: the default export of a file in TypeScript or JavaScript.
 *
 * @throws {UsageError} if there is none
 */
export async function loadScorer(path: string): Promise<Scorer> {
  const problem = `--score: expected a file whose default export is a function, got ${JSON.stringify(path)}`
  const module = await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    throw new UsageError([`${problem}: ${(error as Error).message}`])
  })
  if (typeof module.default !== 'function') throw new UsageError([problem])
  return module.default
}

/**
 * What is wrong with an answer by a scorer, one sentence each. A scorer that fails is a problem of this answer only: the
 * other runs are paid for.
 */
export async function problemsBy(scorer: Scorer, scored: Scored): Promise<string[]> {
  try {
    const returned = await scorer(scored)
    const { data } = scores.safeParse([returned].flat())
    const expected = 'expected { key, score }, the score a boolean or a number, or a list of these'
    if (!data) throw new TypeError(`${expected}; got ${JSON.stringify(returned)}`)
    return data
      .filter(({ score }) => score !== true && score !== 1)
      .map(({ key, score, comment }) => {
        const reason = comment ? `: ${comment}` : ''
        return `${key}: expected the score true or 1, got ${score}${reason}`
      })
  } catch (error) {
    return [`the scorer failed: ${error instanceof Error ? error.message : JSON.stringify(error)}`]
  }
}
