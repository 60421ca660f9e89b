import type { Attributes, Meter } from '@opentelemetry/api'
import { AGENT_RUN, ERROR_TYPE, FLEET, GEN_AI, HTTP, METRIC, MODEL, SERVER } from './semconv.ts'

/** Bucket boundaries of the histograms, as the conventions recommend. */
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]
const OPERATION_SEC = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const REQUEST_SEC = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const REDIS_SEC = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2]

/** The span attributes that metrics keep; each has few values, which keeps the number of time series low. */
const OPERATION = [
  GEN_AI.operationName,
  GEN_AI.providerName,
  GEN_AI.requestModel,
  GEN_AI.responseModel,
  GEN_AI.toolName,
  SERVER.address,
  SERVER.port,
  ERROR_TYPE,
]
const REQUEST = [HTTP.requestMethod, HTTP.responseStatusCode, HTTP.route, HTTP.scheme, ERROR_TYPE]

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
    this.#tokens = histogram(METRIC.tokenUsage, '{token}', 'Tokens of a model call', TOKENS)
    this.#operations = histogram(
      METRIC.operationDuration,
      's',
      'Duration of a GenAI operation',
      OPERATION_SEC,
    )
    this.#requests = histogram(METRIC.httpDuration, 's', 'Duration of HTTP requests', REQUEST_SEC)
    this.#runs = meter.createCounter(AGENT_RUN.count, { unit: '{run}', description: 'Runs that ended' })
    this.#isAsked = meter.createGauge(MODEL.isAsked, {
      unit: '1',
      description: '0 while a model is asked last because of its failures, else 1',
    })
    this.#shares = meter.createGauge(FLEET.shared, {
      unit: '1',
      description: '1 while tasks are shared with other replicas, 0 while Redis is unavailable',
    })
    this.#tasks = meter.createCounter(FLEET.tasks, { unit: '{task}', description: 'Events of shared tasks' })
    this.#redis = histogram(FLEET.operationDuration, 's', 'Duration of an operation in Redis', REDIS_SEC)
  }

  /** Records whether a model is in use; it is not while its breaker is open. */
  isAsked(model: string, isAsked: boolean): void {
    this.#isAsked.record(isAsked ? 1 : 0, { [GEN_AI.requestModel]: model })
  }

  operation(durationSec: number, attributes: Attributes): void {
    this.#operations.record(durationSec, pick(attributes, OPERATION))
  }

  tokens(input: number, output: number, attributes: Attributes): void {
    const common = pick(
      attributes,
      OPERATION.filter(key => key !== ERROR_TYPE),
    )
    if (input > 0) this.#tokens.record(input, { ...common, [GEN_AI.tokenType]: 'input' })
    if (output > 0) this.#tokens.record(output, { ...common, [GEN_AI.tokenType]: 'output' })
  }

  request(durationSec: number, attributes: Attributes): void {
    this.#requests.record(durationSec, pick(attributes, REQUEST))
  }

  shares(isShared: boolean): void {
    this.#shares.record(isShared ? 1 : 0)
  }

  task(event: FleetEvent): void {
    this.#tasks.add(1, { [FLEET.event]: event })
  }

  /** @param failure why Redis did not answer */
  redis(operation: string, durationMs: number, failure?: string): void {
    const attributes = { [FLEET.operation]: operation, ...(failure && { [ERROR_TYPE]: failure }) }
    this.#redis.record(durationMs / 1000, attributes)
  }

  run(status: string, stop: string, cut: boolean): void {
    this.#runs.add(1, { [AGENT_RUN.status]: status, [AGENT_RUN.stop]: stop, [AGENT_RUN.cut]: cut })
  }
}

function pick(attributes: Attributes, keys: readonly string[]): Attributes {
  return Object.fromEntries(
    keys.filter(key => attributes[key] !== undefined).map(key => [key, attributes[key]]),
  )
}
