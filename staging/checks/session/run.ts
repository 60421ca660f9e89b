import type { RunRequest } from '../../../src/http/contract.ts'
import type { Exchange } from '../../agents/exchange.ts'
import type { Answer, When } from '../../tasks/judge.ts'

/** One run of a valid task, and what came of it. */
export interface Run {
  readonly request: RunRequest
  readonly exchange: Exchange
  /** The reply's JSON object; empty where it is none. */
  readonly reply: Readonly<Record<string, unknown>> & Answer
  readonly when: When
  /** No other run was under way that the checks had started. */
  readonly alone: boolean
}
