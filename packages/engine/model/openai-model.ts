import {
  type Host,
  OpenAICompatibleModel,
  type OpenAICompatibleSettings,
} from '@agent-task-service/openai-compatible'
import { fairShare } from '../run/fair-share.ts'
import { type Run, runOf } from '../run/run.ts'
import { firstTokens } from '../run/tokens.ts'

export { OPENAI_URL } from '@agent-task-service/openai-compatible'
export type OpenAIModelSettings = OpenAICompatibleSettings

const host: Host = {
  run: runOf,
  turn: fairShare,
  onFactsConfirmed: (run, model, facts) =>
    (run as Partial<Run>).callbackHandler?.record({ type: 'model_learnt', data: { model, facts } }),
  firstTokens,
}

/** A chat model behind an OpenAI-compatible endpoint, which takes its turn among the runs and tells them what it learns. */
export class OpenAIModel extends OpenAICompatibleModel {
  constructor(settings: OpenAIModelSettings) {
    super(settings, host)
  }
}
