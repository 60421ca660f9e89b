import { expect } from 'vitest'
import { type Backend, startBackend } from './backend.ts'

type Value = string | number | boolean | Value[]

export interface TestSpan {
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  readonly traceId: string
  readonly id: string
  readonly parentId: string | undefined
  readonly attributes: Readonly<Record<string, Value>>
  readonly failed: boolean
  /** In nanoseconds. */
  readonly start: bigint
  readonly end: bigint
}

interface TestPoint {
  readonly attributes: Readonly<Record<string, Value>>
  readonly sum: number
  readonly count: number
  readonly bounds: readonly number[]
}

/** A fake OpenTelemetry collector that reads OTLP as JSON. */
export interface Collector extends Backend {
  /** The service's environment to export here. */
  readonly env: Record<string, string>
  /** All spans so far. */
  readonly spans: readonly TestSpan[]
  /** The only span with this name. */
  span(name: string): TestSpan
  spansNamed(name: string): TestSpan[]
  /** The calls in a run, or the run in a request, whatever nodes of the graph are between. */
  children(parent: TestSpan): TestSpan[]
  /** All spans but those of the graph's nodes. */
  readonly calls: readonly TestSpan[]
  /** The latest points of a metric. */
  metric(name: string): TestPoint[]
  /** Everything received, as text. */
  readonly text: string
}

export async function startCollector(answer?: Parameters<typeof startBackend>[0]): Promise<Collector> {
  const backend = await startBackend(answer)
  const bodies = (path: string) =>
    backend.requests.filter(request => request.path === path).map(({ body }) => JSON.parse(body.toString()))
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: backend.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
  const spans = () => bodies('/v1/traces').flatMap(spansIn)
  const spansNamed = (name: string) => spans().filter(span => span.name === name)
  return {
    ...backend,
    env,
    get spans() {
      return spans()
    },
    spansNamed,
    span(name) {
      const [found, ...others] = spansNamed(name)
      expect([found?.name, ...others]).toEqual([name])
      return found as TestSpan
    },
    children(parent) {
      const all = spans()
      const outer = ({ parentId }: TestSpan): TestSpan | undefined => {
        const found = all.find(({ id }) => id === parentId)
        return found && isNode(found) ? outer(found) : found
      }
      return all.filter(span => !isNode(span) && outer(span)?.id === parent.id)
    },
    get calls() {
      return spans().filter(span => !isNode(span))
    },
    metric: name =>
      bodies('/v1/metrics')
        .map(body => pointsIn(body, name))
        .at(-1) ?? [],
    get text() {
      return backend.requests.map(({ headers, body }) => `${JSON.stringify(headers)}\n${body}`).join('\n')
    },
  }
}

const isNode = ({ name }: TestSpan) => name.startsWith('node ')

const KINDS = { 1: 'internal', 2: 'server', 3: 'client' } as const

// biome-ignore lint/suspicious/noExplicitAny: JSON of the protocol
type Json = any

function spansIn({ resourceSpans }: Json): TestSpan[] {
  const all = resourceSpans.flatMap(({ scopeSpans }: Json) => scopeSpans.flatMap(({ spans }: Json) => spans))
  return all.map((span: Json) => ({
    name: span.name,
    kind: KINDS[span.kind as keyof typeof KINDS],
    traceId: span.traceId,
    id: span.spanId,
    parentId: span.parentSpanId,
    attributes: attributesOf(span.attributes),
    failed: span.status.code === 2,
    start: BigInt(span.startTimeUnixNano),
    end: BigInt(span.endTimeUnixNano),
  }))
}

function pointsIn({ resourceMetrics }: Json, name: string): TestPoint[] {
  const all = resourceMetrics.flatMap(({ scopeMetrics }: Json) =>
    scopeMetrics.flatMap(({ metrics }: Json) => metrics),
  )
  const { histogram, sum, gauge } = all.find((metric: Json) => metric.name === name) ?? {}
  return (
    (histogram ?? sum ?? gauge)?.dataPoints.map((point: Json) => ({
      attributes: attributesOf(point.attributes),
      sum: Number(point.sum ?? point.asInt ?? point.asDouble),
      count: Number(point.count ?? point.asInt ?? point.asDouble),
      bounds: point.explicitBounds ?? [],
    })) ?? []
  )
}

/** Attributes of a span, metric or resource. */
function attributesOf(list: Json[]): Record<string, Value> {
  return Object.fromEntries(list.map(({ key, value }) => [key, valueIn(value)]))
}

function valueIn(value: Json): Value {
  if ('arrayValue' in value) return value.arrayValue.values.map(valueIn)
  const plain = value.stringValue ?? value.boolValue ?? value.doubleValue ?? value.intValue
  return 'intValue' in value ? Number(plain) : plain
}
