import type { Metrics, RunRequest } from '../../../src/http/contract.ts'
import type { RunRecord } from '../../api.ts'
import { isObject, jsonIn, objectIn, textOf } from '../../json.ts'
import { freshTaskId, isTestId } from './task.ts'

/** What a record's reply says. */
export function saidIn({ reply }: RunRecord) {
  const { output, error, metrics } = objectIn(reply)
  return {
    output: textOf(output),
    error: textOf(error) || null,
    metrics: (isObject(metrics) ? metrics : {}) as Partial<Metrics>,
  }
}

/** The request to send for the same run once more, as another task; undefined where a record holds none. */
export function requestAgain({ request }: RunRecord): Partial<RunRequest> | undefined {
  if (typeof request.input !== 'string') return undefined
  return isTestId(textOf(request.task_id)) ? request : { ...request, task_id: freshTaskId() }
}

/** JSON over several lines; any other text as it is. */
export function prettyJson(text: string): string {
  const value = jsonIn(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}
