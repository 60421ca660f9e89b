import { nameOf } from '@agent-task-service/messages/offered-tools'
import { FactsFromRefusals } from '@agent-task-service/openai-compatible/facts-from-refusals'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import {
  causeOf,
  definitionOf,
  type FailedRequest,
  type Finding,
  isRefused,
  type ModelOutcome,
  neededRefused,
  type ToolRequest,
} from './tool-request.ts'
import { findRefused } from './tool-search.ts'
import { isNamed, mayMeanTools, toolsNamedIn, wordsOf } from './tools-in-refusals.ts'

/** Refusals in a row that name a tool; then the one at fault is searched for. */
const MAX_NAMED = 16

/** The tools whose definitions a model's provider refuses. */
export class RefusedTools {
  /** By name. */
  readonly #definitions = new FactsFromRefusals<Record<string, string>>()
  /** The tools of the latest accepted request, by run. */
  readonly #accepted = new WeakMap<object, readonly BindToolsInput[]>()

  /**
   * Asks a model, without the tools that its provider refuses: those that a refusal names, or the one that a search finds. What
   * a search leaves untried is left out of this run.
   *
   * @returns the outcome of the accepted request; of the first, if the tools were not at fault; or an error that names a
   *   refused tool that the run needs
   */
  async ask<Reply>(request: ToolRequest<Reply>): Promise<ModelOutcome<Reply>> {
    const known = this.#definitions.factsFor(request.run)
    const isKnown = (tool: BindToolsInput) =>
      Object.hasOwn(known, nameOf(tool)) && known[nameOf(tool)] === definitionOf(tool)
    const needed = request.tools.filter(tool => isKnown(tool) && request.needs(tool))
    if (needed.length > 0) return neededRefused(needed)
    const tools = request.tools.filter(tool => !isKnown(tool))
    const outcome = await request.ask(tools)
    if ('reply' in outcome) this.#accepted.set(request.run, tools)
    if (tools.length === 0 || !request.mayCall || !isRefused(outcome)) return outcome
    // What was accepted before is not at fault now.
    const accepted = this.#accepted.get(request.run)
    if (tools.every(tool => accepted?.includes(tool))) return outcome
    return this.#learn(request, await withoutRefused(request, tools, outcome))
  }

  #learn<Reply>(request: ToolRequest<Reply>, { outcome, refused = [], untried = [] }: Finding<Reply>) {
    const { run, onLearnt } = request
    const definitions = definitionsOf(refused)
    this.#definitions.record(run, definitionsOf(untried), false)
    this.#definitions.record(run, definitions, true)
    const learnt = this.#definitions.confirm(run, definitions)
    if (learnt) onLearnt(Object.keys(learnt))
    return outcome
  }
}

/**
 * Asks without the tools that the refusal names, or else searches.
 *
 * @param first what came of the run's first request
 * @param refused left out so far
 */
async function withoutRefused<Reply>(
  request: ToolRequest<Reply>,
  tools: readonly BindToolsInput[],
  first: FailedRequest,
  last = first,
  refused: readonly BindToolsInput[] = [],
): Promise<Finding<Reply>> {
  const words = wordsOf(causeOf(last))
  // It speaks of a tool that was not sent, so not of what was sent.
  if (refused.some(tool => isNamed(tool, words))) return { outcome: first }
  const named = refused.length < MAX_NAMED ? toolsNamedIn(words, tools, request.messages) : []
  const needed = named.filter(request.needs)
  if (needed.length > 0) return { outcome: neededRefused(needed, causeOf(last)) }
  if (named.length === 0) return await searched(request, tools, first, last, refused)
  const rest = tools.filter(tool => !named.includes(tool))
  const outcome = await request.ask(rest)
  const all = [...refused, ...named]
  if ('reply' in outcome) return { outcome, refused: all }
  if (!isRefused(outcome)) return { outcome }
  if (rest.length === 0) return { outcome: first }
  return await withoutRefused(request, rest, first, outcome, all)
}

async function searched<Reply>(
  request: ToolRequest<Reply>,
  tools: readonly BindToolsInput[],
  first: FailedRequest,
  last: FailedRequest,
  refused: readonly BindToolsInput[],
): Promise<Finding<Reply>> {
  if (!mayMeanTools(causeOf(last))) return { outcome: first }
  const found = await findRefused(request, tools, first)
  return found.refused ? { ...found, refused: [...refused, ...found.refused] } : found
}

function definitionsOf(tools: readonly BindToolsInput[]): Record<string, string> {
  return Object.fromEntries(tools.map(tool => [nameOf(tool), definitionOf(tool)]))
}
