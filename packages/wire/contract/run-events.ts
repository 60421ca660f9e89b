/**
 * The event stream of a run, which `POST /run` sends to a caller that accepts `text/event-stream`. Each server-sent
 * event has one of these types as its `event` and the JSON described here as its `data`. `run_finished` comes last.
 *
 * `v` is 1. It goes up when a member changes meaning or disappears. New members and types may appear at any time, so
 * readers must ignore what they do not know.
 */
import { z } from 'zod'
import { runResponse } from './contract.ts'

/** Seconds between comment lines (`: heartbeat`). */
export const HEARTBEAT_SEC = 10

const atMoment = {
  v: z.literal(1),
  at: z.number().min(0).describe('Seconds since the arrival of the request'),
}
const ofStep = {
  ...atMoment,
  step: z.int().min(1).describe('Number of the step: model calls and tool calls, from 1'),
}
const ofNode = {
  ...atMoment,
  node: z.string().describe("Name of the graph's node; in a subgraph `outer/inner`"),
  superstep: z
    .int()
    .min(0)
    .describe("LangGraph's superstep, counted in each graph; its nodes run in parallel"),
}
const inNode = {
  node: z.string().optional().describe('Name of the node that makes the call; absent outside of any'),
}
const count = z.int().min(0)
const replayed = {
  replayed: z
    .literal(true)
    .optional()
    .describe('Present if an earlier run of the task had made the call: it was not made again'),
}
const spent = {
  cost_usd: z.number().min(0).nullable().describe('US dollars; null if the price is unknown'),
  cost_estimated: z.boolean().optional().describe('Present if the provider reported no usage for a part'),
}

/** The nodes and edges of a graph, with those of its subgraphs; nodes are named as in `node_started`. */
const topology = z.strictObject({
  nodes: z
    .array(z.string())
    .describe('Each graph begins at its __start__ and ends at its __end__, in a subgraph `outer/__start__`'),
  edges: z.array(
    z.strictObject({
      source: z.string(),
      target: z.string(),
      conditional: z.boolean().describe('Whether the source, or a condition after it, decides to take it'),
    }),
  ),
})
export type GraphTopology = z.infer<typeof topology>

export const runEvents = {
  run_started: z.strictObject({
    ...atMoment,
    task_id: z.string(),
    tools: z.array(z.string()).describe('Tools enabled for this run'),
    limits: z.strictObject({
      answer_by_sec: z.number().describe('After this the model is asked to answer with what it has'),
      timeout_sec: z.number().describe('Hard deadline of the run'),
      max_steps: count,
      max_output_tokens: count.nullable(),
      max_total_tokens: count.nullable(),
      max_cost_usd: z.number().nullable(),
    }),
    graph: topology.optional().meta({
      description: "The agent's graph; absent if it cannot be drawn, or takes more than 16,384 characters",
    }),
  }),
  node_started: z.strictObject(ofNode),
  node_finished: z.strictObject({ ...ofNode, failed: z.boolean() }),
  model_started: z.strictObject({
    ...ofStep,
    ...inNode,
    model: z.string(),
    attempt: z.int().min(1).describe('1 for the first try; discard the text of a failed try'),
  }),
  model_input: z.strictObject({
    ...ofStep,
    messages: z.array(
      z.strictObject({
        number: z.int().min(1).describe('The same message has the same number in all calls of the run'),
        role: z.enum(['system', 'tools', 'user', 'assistant', 'tool']).meta({
          description: 'Whose message it is; `tools`: the schemas of the tools on offer',
        }),
        tokens: count.describe('In o200k_base'),
        text: z
          .string()
          .optional()
          .describe('Its first 8,192 characters; absent if an earlier event of the run has it'),
      }),
    ),
  }),
  text: z.strictObject({
    ...ofStep,
    text: z.string().describe("The next piece of the model's text"),
  }),
  model_finished: z.strictObject({
    ...ofStep,
    model: z.string(),
    input_tokens: count,
    output_tokens: count,
    cached_tokens: count.describe("Input tokens read from the provider's cache"),
    ...spent,
    tool_calls: z.array(z.string()).describe('Names of the tools the model calls'),
    cut: z.boolean().describe('Whether a token cap cut the reply off, or it ended in an unknown way'),
    ...replayed,
  }),
  model_failed: z.strictObject({ ...ofStep, model: z.string(), attempt: z.int().min(1), ...spent }),
  model_given_up: z.strictObject({
    ...atMoment,
    model: z.string(),
    reason: z.string().describe('Such as stalled, rate_limited, key_rejected, breaker_open'),
    next: z.string().nullable().describe('The model used instead, or null if there is none'),
  }),
  tool_started: z.strictObject({
    ...ofStep,
    ...inNode,
    tool: z.string().describe('Name of the tool, or "" if the model named one that does not exist'),
    call_id: z.string(),
    arguments: z.string().describe('JSON, its first 2,000 characters'),
  }),
  tool_finished: z.strictObject({
    ...ofStep,
    tool: z.string(),
    call_id: z.string(),
    failed: z.boolean(),
    result: z.string().describe('What the model reads, its first 2,000 characters'),
    sources: z
      .array(z.strictObject({ number: z.int(), title: z.string(), url: z.string() }))
      .optional()
      .describe('Pages that the result cites, by number; absent if none'),
    ...replayed,
  }),
  effect: z.strictObject({
    ...atMoment,
    state: z.enum(['replayed', 'refused', 'not_stored', 'unknown']).meta({
      description:
        'Of a call with side effects: an earlier run of the task had made it, and its result was given again; it was refused, or made without a record, since Redis was unavailable; the run ends, and nobody knows whether it happened',
    }),
    tool: z.string(),
    key: z.string().describe("The call's idempotency key"),
    begun_at: z.iso.datetime(),
  }),
  limit_near: z.strictObject({
    ...atMoment,
    limit: z.enum([
      'answer_by_sec',
      'timeout_sec',
      'max_steps',
      'max_output_tokens',
      'max_total_tokens',
      'max_cost_usd',
    ]),
    used: z.number(),
    of: z.number(),
  }),
  custom: z.strictObject({
    ...atMoment,
    data: z.unknown().meta({
      description:
        'What a node wrote with config.writer, or {omitted: why} if it is not JSON or exceeds 8 kB',
    }),
  }),
  run_finished: z.strictObject({
    ...atMoment,
    // Absent if another replica ran the task, or the reply is a replay.
    ...z.object(spent).partial().shape,
    response: runResponse.describe('The reply that a caller without streaming gets'),
  }),
} as const

export type StreamEventType = keyof typeof runEvents
export type StreamEventData<Type extends StreamEventType> = z.infer<(typeof runEvents)[Type]>
/** One event of the stream, by its type. */
export type StreamEvent = {
  [Type in StreamEventType]: { readonly type: Type; readonly data: StreamEventData<Type> }
}[StreamEventType]
