import type { Attributes, Meter } from '@opentelemetry/api'

/** Bucket boundaries of the histograms, as the conventions recommend. */
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]
const OPERATION_SEC = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const REQUEST_SEC = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const REDIS_SEC = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2]

/** The span attributes that metrics keep; each has few values, which keeps the number of time series low. */
const OPERATION = [
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'gen_ai.tool.name',
  'server.address',
  'server.port',
  'error.type',
]
const REQUEST = ['http.request.method', 'http.response.status_code', 'http.route', 'url.scheme', 'error.type']

/** What happens to a task that callers or replicas share. */
export type FleetEvent = 'joined' | 'replayed' | 'taken_over' | 'run_alone' | 'given_up' | 'answer_refused'

/** How replicas share their tasks. */
export type FleetMetrics = Pick<Instruments, 'shares' | 'task' | 'redis'>

/** The service's metrics. Durations are in seconds; attributes are those of the spans. */
export class Instruments {
  readonly #tokens
  readonly #operations
  readonly #requests
  readonly #runs
  readonly #shares
  readonly #tasks
  readonly #redis
  readonly #isAsked

  constructor(meter: Meter) {
    const histogram = (name: string, unit: string, description: string, bounds: number[]) =>
      meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: bounds } })
    this.#tokens = histogram('gen_ai.client.token.usage', '{token}', 'Tokens of a model call', TOKENS)
    this.#operations = histogram(
      'gen_ai.client.operation.duration',
      's',
      'Duration of a GenAI operation',
      OPERATION_SEC,
    )
    this.#requests = histogram('http.server.request.duration', 's', 'Duration of HTTP requests', REQUEST_SEC)
    this.#runs = meter.createCounter('agent.runs', { unit: '{run}', description: 'Runs that ended' })
    this.#isAsked = meter.createGauge('agent.model.asked', {
      unit: '1',
      description: '0 while a model is asked last because of its failures, else 1',
    })
    this.#shares = meter.createGauge('agent.fleet.shared', {
      unit: '1',
      description: '1 while tasks are shared with other replicas, 0 while Redis is unavailable',
    })
    this.#tasks = meter.createCounter('agent.fleet.tasks', {
      unit: '{task}',
      description: 'Events of shared tasks',
    })
    this.#redis = histogram(
      'agent.fleet.operation.duration',
      's',
      'Duration of an operation in Redis',
      REDIS_SEC,
    )
  }

  /** Records whether a model is in use; it is not while its breaker is open. */
  isAsked(model: string, isAsked: boolean): void {
    this.#isAsked.record(isAsked ? 1 : 0, { 'gen_ai.request.model': model })
  }

  operation(durationSec: number, attributes: Attributes): void {
    this.#operations.record(durationSec, pick(attributes, OPERATION))
  }

  tokens(input: number, output: number, attributes: Attributes): void {
    const common = pick(
      attributes,
      OPERATION.filter(key => key !== 'error.type'),
    )
    if (input > 0) this.#tokens.record(input, { ...common, 'gen_ai.token.type': 'input' })
    if (output > 0) this.#tokens.record(output, { ...common, 'gen_ai.token.type': 'output' })
  }

  request(durationSec: number, attributes: Attributes): void {
    this.#requests.record(durationSec, pick(attributes, REQUEST))
  }

  shares(isShared: boolean): void {
    this.#shares.record(isShared ? 1 : 0)
  }

  task(event: FleetEvent): void {
    this.#tasks.add(1, { 'agent.fleet.event': event })
  }

  /** @param failure why Redis did not answer */
  redis(operation: string, durationMs: number, failure?: string): void {
    const attributes = { 'agent.fleet.operation': operation, ...(failure && { 'error.type': failure }) }
    this.#redis.record(durationMs / 1000, attributes)
  }

  run(status: string, stop: string, cut: boolean): void {
    this.#runs.add(1, { 'agent.run.status': status, 'agent.run.stop': stop, 'agent.run.cut': cut })
  }
}

function pick(attributes: Attributes, keys: readonly string[]): Attributes {
  return Object.fromEntries(
    keys.filter(key => attributes[key] !== undefined).map(key => [key, attributes[key]]),
  )
}
