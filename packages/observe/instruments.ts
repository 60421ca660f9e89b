import type { FleetMetrics } from '@agent-task-service/engine/observe'
import type { Attributes, Meter } from '@opentelemetry/api'

/** Bucket boundaries of the histograms, as the conventions recommend. */
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]
const CALL_SEC = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const AGENT_SEC = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6]
const REQUEST_SEC = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const STORE_SEC = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2]

/** The span attributes that metrics keep; each has few values, which keeps the number of time series low. */
const OPERATION = [
  'gen_ai.operation.name',
  'gen_ai.agent.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'gen_ai.tool.name',
  'server.address',
  'server.port',
  'error.type',
]
const REQUEST = ['http.request.method', 'http.response.status_code', 'http.route', 'url.scheme', 'error.type']

/** The value of `gen_ai.operation.name`; each has its own metric of durations. */
export type Operation = 'chat' | 'execute_tool' | 'invoke_agent'

export type Instruments = ReturnType<typeof createInstruments>

/** The service's metrics. Durations are in seconds; attributes are those of the spans. */
export function createInstruments(meter: Meter) {
  const histogram = (name: string, unit: string, description: string, bounds: number[]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: bounds } })
  const tokensOf = (type: 'input_tokens' | 'output_tokens') =>
    histogram(`gen_ai.client.inference.operation.${type}`, '{token}', 'Tokens of a model call', TOKENS)
  const tokens = { input: tokensOf('input_tokens'), output: tokensOf('output_tokens') }
  const duration = (name: string, of: string, bounds: number[]) =>
    histogram(`gen_ai.${name}.duration`, 's', `Duration of ${of}`, bounds)
  const durations = {
    chat: duration('client.inference', 'a model call', CALL_SEC),
    execute_tool: duration('execute_tool', 'a tool call', CALL_SEC),
    invoke_agent: duration('invoke_agent', 'a run', AGENT_SEC),
  }
  const requests = histogram('http.server.request.duration', 's', 'Duration of HTTP requests', REQUEST_SEC)
  const runs = meter.createCounter('agent.runs', { unit: '{run}', description: 'Runs that ended' })
  const shared = meter.createGauge('agent.fleet.shared', {
    unit: '1',
    description: '1 while tasks are shared with other replicas, 0 while Redis is unavailable',
  })
  const tasks = meter.createCounter('agent.fleet.tasks', {
    unit: '{task}',
    description: 'Events of shared tasks',
  })
  const effects = meter.createCounter('agent.fleet.effects', {
    unit: '{call}',
    description: 'Events of calls with side effects in shared tasks',
  })
  const operations = histogram(
    'agent.fleet.operation.duration',
    's',
    'Duration of an operation in Redis',
    STORE_SEC,
  )
  const fleet: FleetMetrics = {
    shares: isShared => shared.record(isShared ? 1 : 0),
    task: event => tasks.add(1, { 'agent.fleet.event': event }),
    effect: (state, tool) => effects.add(1, { 'agent.fleet.event': state, 'gen_ai.tool.name': tool }),
    store(operation, durationMs, failure) {
      const attributes = { 'agent.fleet.operation': operation, ...(failure && { 'error.type': failure }) }
      operations.record(durationMs / 1000, attributes)
    },
  }
  return {
    fleet,
    operation(name: Operation, durationSec: number, attributes: Attributes): void {
      durations[name].record(durationSec, pick(attributes, OPERATION))
    },
    tokens(input: number, output: number, attributes: Attributes): void {
      const ofCall = pick(attributes, OPERATION)
      if (input > 0) tokens.input.record(input, ofCall)
      if (output > 0) tokens.output.record(output, ofCall)
    },
    request(durationSec: number, attributes: Attributes): void {
      requests.record(durationSec, pick(attributes, REQUEST))
    },
    run(status: string, stop: string, cut: boolean): void {
      runs.add(1, { 'agent.run.status': status, 'agent.run.stop': stop, 'agent.run.cut': cut })
    },
  }
}

function pick(attributes: Attributes, keys: readonly string[]): Attributes {
  return Object.fromEntries(
    keys.filter(key => attributes[key] !== undefined).map(key => [key, attributes[key]]),
  )
}
