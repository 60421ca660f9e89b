/**
 * Names from OpenTelemetry's semantic conventions 1.41. The GenAI ones are still in development, so they are copied here,
 * as `@opentelemetry/semantic-conventions` asks its users to do.
 */
export const GEN_AI = {
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  inputMessages: 'gen_ai.input.messages',
  operationName: 'gen_ai.operation.name',
  outputMessages: 'gen_ai.output.messages',
  providerName: 'gen_ai.provider.name',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  requestModel: 'gen_ai.request.model',
  requestTemperature: 'gen_ai.request.temperature',
  responseFinishReasons: 'gen_ai.response.finish_reasons',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  systemInstructions: 'gen_ai.system_instructions',
  tokenType: 'gen_ai.token.type',
  toolCallArguments: 'gen_ai.tool.call.arguments',
  toolCallId: 'gen_ai.tool.call.id',
  toolCallResult: 'gen_ai.tool.call.result',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  usageInputTokens: 'gen_ai.usage.input_tokens',
  usageOutputTokens: 'gen_ai.usage.output_tokens',
} as const

export const HTTP = {
  requestMethod: 'http.request.method',
  responseStatusCode: 'http.response.status_code',
  route: 'http.route',
  scheme: 'url.scheme',
  path: 'url.path',
} as const

export const ERROR_TYPE = 'error.type'
export const SERVER = { address: 'server.address', port: 'server.port' } as const

export const METRIC = {
  operationDuration: 'gen_ai.client.operation.duration',
  tokenUsage: 'gen_ai.client.token.usage',
  httpDuration: 'http.server.request.duration',
} as const

/** Names that the conventions lack. */
export const AGENT_RUN = {
  taskId: 'agent.task.id',
  status: 'agent.run.status',
  stop: 'agent.run.stop',
  steps: 'agent.run.steps',
  cut: 'agent.run.cut',
  count: 'agent.runs',
} as const

/** Whether a model is in use, or skipped because of its failures. */
export const MODEL = { isAsked: 'agent.model.asked' } as const

/** How replicas share their tasks. */
export const FLEET = {
  shared: 'agent.fleet.shared',
  tasks: 'agent.fleet.tasks',
  event: 'agent.fleet.event',
  operationDuration: 'agent.fleet.operation.duration',
  operation: 'agent.fleet.operation',
} as const
