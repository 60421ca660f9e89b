import {
  type Host,
  OpenAICompatibleModel,
  type OpenAICompatibleSettings,
} from '@agent-task-service/openai-compatible'
import { firstTokens } from '../run/count-tokens.ts'
import { fairShare } from '../run/fair-share.ts'

export { OPENAI_URL } from '@agent-task-service/openai-compatible'
export type OpenAIModelSettings = OpenAICompatibleSettings

const host: Host = { turn: fairShare, firstTokens }

/** A chat model behind an OpenAI-compatible endpoint, which takes its turn among the runs. */
export class OpenAIModel extends OpenAICompatibleModel {
  constructor(settings: OpenAIModelSettings) {
    super(settings, host)
  }
}
