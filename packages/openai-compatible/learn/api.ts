import { textWithCalls } from '@agent-task-service/messages/message-text'
import type { BaseMessage } from '@langchain/core/messages'
import { ProviderError } from '../errors.ts'

/** Which of OpenAI's APIs to speak. */
export type Api = 'chat' | 'responses'
/** `auto`: Responses on OpenAI's own endpoint, chat completions elsewhere, or what a refusal points to. */
export type ApiSetting = 'auto' | Api

const choices = new Map<string, ApiChoice>()

/** @param endpoint the base URL */
export function apiChoiceFor(setting: ApiSetting, model: string, endpoint: string): ApiChoice {
  const key = JSON.stringify([setting, model, endpoint])
  const known = choices.get(key) ?? new ApiChoice(setting, endpoint)
  choices.set(key, known)
  return known
}

/**
 * The API that a model at an endpoint is asked in. A refusal may be a gateway's, or quote the task, so it changes the API for
 * its own run only; a call that then succeeds in the other API changes it for all.
 */
export class ApiChoice {
  readonly #mayChange: boolean
  #api: Api
  #hasAnswered = false
  readonly #ofRuns = new WeakMap<object, Api>()
  /** Runs whose other API turned out not to exist. */
  readonly #settled = new WeakSet<object>()

  constructor(setting: ApiSetting, endpoint: string) {
    this.#mayChange = setting === 'auto'
    const usual = new URL(endpoint).hostname === 'api.openai.com' ? 'responses' : 'chat'
    this.#api = setting === 'auto' ? usual : setting
  }

  /** @param run any object that stands for the run */
  of(run: object): Api {
    return this.#ofRuns.get(run) ?? this.#api
  }

  /** Changes the run's API if the refusal says that the model is asked in the other one. Returns whether it did. */
  change(run: object, error: unknown, messages: readonly BaseMessage[]): boolean {
    if (!this.#mayChange || !(error instanceof ProviderError) || this.#settled.has(run)) return false
    const api = this.of(run)
    const isChanged = api !== this.#api
    const isElsewhere =
      api === 'responses' || isChanged
        ? lacks(error) && (isChanged || !this.#hasAnswered)
        : pointsToResponses(error, messages)
    if (!isElsewhere) return false
    if (isChanged) this.#settled.add(run)
    this.#ofRuns.set(run, api === 'chat' ? 'responses' : 'chat')
    return true
  }

  /** The run's API has answered. Returns whether all runs are asked in it from now on, other than before. */
  answered(run: object): boolean {
    const api = this.of(run)
    const isNew = api !== this.#api
    this.#api = api
    this.#hasAnswered = true
    return isNew
  }
}

/** Whether the endpoint does not have the path. An unknown model and an item that was not stored are 404 too. */
function lacks({ status = 0, message, code }: ProviderError): boolean {
  return [405, 501].includes(status) || (status === 404 && !/model|item/i.test(`${code} ${message}`))
}

/** Whether the refusal names the other API, in words that it cannot have from the conversation. */
function pointsToResponses(
  { status = 0, message }: ProviderError,
  messages: readonly BaseMessage[],
): boolean {
  const named = /\/responses\b/
  return (
    status >= 400 &&
    status < 500 &&
    named.test(message) &&
    !messages.some(message => named.test(textWithCalls(message)))
  )
}
