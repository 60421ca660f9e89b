import { type Attributes, createNoopMeter, ProxyTracerProvider } from '@opentelemetry/api'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import type { MiddlewareHandler } from 'hono'
import type { Config } from '../config.ts'
import type { EdgeEnv } from '../http/env.ts'
import { Content } from './content.ts'
import { type FleetMetrics, Instruments } from './instruments.ts'
import { meterProvider, type OnDelivery, tracerProvider } from './otlp.ts'
import { observeRequests } from './request-span.ts'
import { GEN_AI, SERVER } from './semconv.ts'
import type { OpenTelemetrySettings } from './settings.ts'

export interface OpenTelemetryOptions {
  readonly settings: OpenTelemetrySettings
  readonly config: Pick<Config, 'agent' | 'model'>
  /** Masks whatever must not leave the process. */
  readonly mask: (text: string) => string
  readonly onDelivery: OnDelivery
}

export interface OpenTelemetry {
  readonly observe: MiddlewareHandler<EdgeEnv>
  readonly fleet: FleetMetrics
  /** Delivers the backlog; rejects if that fails. */
  shutdown(): Promise<void>
}

/** Instrumentation scope of the spans and metrics. */
const SCOPE = 'agent-task-service'
/** Longest external name in an attribute, in characters. */
const MAX_LABEL_LENGTH = 200

/** Starts the SDK, which sends spans and metrics to a collector by OTLP. Registers nothing globally. */
export async function startOpenTelemetry(options: OpenTelemetryOptions): Promise<OpenTelemetry> {
  const { settings, config, mask, onDelivery } = options
  const { traces, metrics, captureContent } = settings
  const label = (text: string) => mask(text).slice(0, MAX_LABEL_LENGTH).toWellFormed()
  const attributes = Object.entries(settings.resource).map(([key, value]) => [key, mask(value)])
  const resource = defaultResource().merge(resourceFromAttributes(Object.fromEntries(attributes)))
  const spans = traces && (await tracerProvider(traces, settings, resource, onDelivery))
  const measures = metrics && (await meterProvider(metrics, resource, onDelivery))
  const instruments = new Instruments(measures?.getMeter(SCOPE) ?? createNoopMeter())
  const observe = observeRequests({
    tracer: (spans ?? new ProxyTracerProvider()).getTracer(SCOPE),
    instruments,
    agent: { id: config.agent.id, name: label(config.agent.name) },
    provider: providerOf(config.model),
    endpoints: endpointsOf(config.model),
    temperature: config.model.provider === 'openai' ? config.model.models[0]?.temperature : undefined,
    content: captureContent ? new Content(mask) : undefined,
    label,
  })
  return {
    observe,
    fleet: instruments,
    async shutdown() {
      await Promise.all([spans?.shutdown(), measures?.shutdown()])
    },
  }
}

function providerOf(model: Config['model']): Attributes {
  return { [GEN_AI.providerName]: model.provider, ...endpointsOf(model).values().next().value }
}

/** The address of each model's provider (all we know about it), by model name, in the order of the list. */
function endpointsOf(model: Config['model']): ReadonlyMap<string, Attributes> {
  if (model.provider === 'offline') return new Map()
  return new Map(model.models.map(({ name, baseUrl }) => [name, addressOf(baseUrl)]))
}

function addressOf(baseUrl = 'https://api.openai.com/v1'): Attributes {
  const { hostname, port, protocol } = new URL(baseUrl)
  const number = port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port)
  return { [SERVER.address]: hostname, [SERVER.port]: number }
}
