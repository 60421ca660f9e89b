import type { ModelSettings, ObserveHost, Observer } from '@agent-task-service/engine/observe'
import { type Attributes, createNoopMeter, ProxyTracerProvider } from '@opentelemetry/api'
import { defaultResource, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { Content } from './content.ts'
import { createInstruments } from './instruments.ts'
import { meterProvider, tracerProvider } from './otlp.ts'
import { requestSpan } from './request-span.ts'
import type { RunSpanOptions } from './run-span.ts'
import type { OpenTelemetrySettings } from './settings.ts'

/** Instrumentation scope of the spans and metrics. */
const SCOPE = 'agent-task-service'
/** Longest external name in an attribute, in characters. */
const MAX_LABEL_LENGTH = 200

/** Starts the SDK, which sends spans and metrics to a collector by OTLP. Registers nothing globally. */
export async function startOpenTelemetry(
  settings: OpenTelemetrySettings,
  { agent, model, mask, ...delivery }: ObserveHost,
): Promise<Observer> {
  const label = (text: string) => mask(text).slice(0, MAX_LABEL_LENGTH).toWellFormed()
  // Reads OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME.
  const named = { 'service.name': SCOPE, ...envDetector.detect().attributes }
  const attributes = Object.entries(named).map(each => each.map(text => mask(String(text))))
  const resource = defaultResource().merge(resourceFromAttributes(Object.fromEntries(attributes)))
  const spans = await tracerProvider({ settings, resource, ...delivery })
  const measures = await meterProvider({ settings, resource, ...delivery })
  const instruments = createInstruments(measures?.getMeter(SCOPE) ?? createNoopMeter())
  const endpoints = endpointsOf(model)
  const options: RunSpanOptions = {
    tracer: (spans ?? new ProxyTracerProvider()).getTracer(SCOPE),
    instruments,
    agent: { id: agent.id, name: label(agent.name) },
    provider: { 'gen_ai.provider.name': model.provider, ...endpoints.values().next().value },
    endpoints,
    temperature: model.provider === 'openai' ? model.models[0]?.temperature : undefined,
    content: settings.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ? new Content(mask) : undefined,
    label,
  }
  return {
    request: request => requestSpan(options, request),
    fleet: instruments.fleet,
    async close() {
      await Promise.all([spans?.shutdown(), measures?.shutdown()])
    },
  }
}

/** The address of each model's provider (all we know about it), by model name, in the order of the list. */
function endpointsOf(model: ModelSettings): ReadonlyMap<string, Attributes> {
  if (model.provider === 'offline') return new Map()
  return new Map(model.models.map(({ name, baseUrl }) => [name, addressOf(baseUrl)]))
}

function addressOf(baseUrl = 'https://api.openai.com/v1'): Attributes {
  const { hostname, port, protocol } = new URL(baseUrl)
  const number = port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port)
  return { 'server.address': hostname, 'server.port': number }
}
