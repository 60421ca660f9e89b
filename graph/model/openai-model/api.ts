import { ProviderError } from '../model-error.ts'

/** Which of OpenAI's APIs to speak. */
export type Api = 'chat' | 'responses'
/** `auto`: Responses on OpenAI's own endpoint, chat completions elsewhere, or what a refusal points to. */
export type ApiSetting = 'auto' | Api

/** The API that a model at an endpoint is asked in, for the life of the process. */
export interface Spoken {
  api: Api
  /** Whether a refusal may still change it; it does so once. */
  mayChange: boolean
}

const spoken = new Map<string, Spoken>()

/** @param endpoint the base URL */
export function apiOf(setting: ApiSetting, model: string, endpoint: string): Spoken {
  const key = JSON.stringify([setting, model, endpoint])
  const isOpenAI = new URL(endpoint).hostname === 'api.openai.com'
  const api = setting === 'auto' ? (isOpenAI ? 'responses' : 'chat') : setting
  const known = spoken.get(key) ?? { api, mayChange: setting === 'auto' }
  spoken.set(key, known)
  return known
}

/** Changes the API if the refusal says that this model is asked in the other one. Returns whether it did. */
export function changeApi(spoken: Spoken, error: unknown): boolean {
  if (!spoken.mayChange || !(error instanceof ProviderError)) return false
  const { status = 0, message, code } = error
  const isElsewhere =
    spoken.api === 'chat'
      ? status >= 400 && status < 500 && /\/responses\b/.test(message)
      : // An unknown model and an item that was not stored are 404 too.
        [405, 501].includes(status) || (status === 404 && !/model|item/i.test(`${code} ${message}`))
  if (!isElsewhere) return false
  spoken.api = spoken.api === 'chat' ? 'responses' : 'chat'
  spoken.mayChange = false
  return true
}
