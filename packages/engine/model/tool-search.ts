import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import {
  definitionOf,
  type Failed,
  type Finding,
  isRefused,
  neededRefused,
  type ToolRequest,
} from './tool-request.ts'
import { nameOf } from './tools-in-refusals.ts'

/** Parts of a schema that some provider refuses. */
const UNUSUAL =
  /"(?:\$\w+|anyOf|oneOf|allOf|not|if|const|default|pattern|format|definitions|prefixItems|(?:pattern|unevaluated)Properties)":|"type":\[/g
/** What a search has shown weighs more than all unusual parts of a schema. */
const SUSPECTED = 100_000

/** Finds the tool that a provider refuses without naming it. */
export class ToolSearch {
  /** How often a search ended with a tool among several suspects, by its name. */
  readonly #suspected = new Map<string, number>()

  /**
   * Asks without tools and, if that is accepted, with half of them, and so on. The first refusal included, it takes at most
   * two requests more than the logarithm of the tools, to base 2.
   *
   * @param tools as they were refused
   * @param first what came of the run's first request
   * @returns the outcome of the accepted request with most tools, and the refused one, if the requests were enough to find it
   */
  async find<Reply>(
    request: ToolRequest<Reply>,
    tools: readonly BindToolsInput[],
    first: Failed,
  ): Promise<Finding<Reply>> {
    let accepted: readonly BindToolsInput[] = []
    let outcome = await request.ask(accepted)
    if (!('reply' in outcome)) return { outcome: isRefused(outcome) ? first : outcome }
    // The likely ones come last, so that most are accepted on the way. One of the suspects is refused for certain.
    let suspects: readonly BindToolsInput[] = this.#likelyLast(tools)
    let left = Math.floor(Math.log2(tools.length))
    for (; suspects.length > 1 && left > 0 && !request.isNearLimit(); left -= 1) {
      // The others must be few enough for the requests left after this one.
      const size = Math.max(Math.ceil(suspects.length / 2), suspects.length - 2 ** (left - 1))
      const tried = suspects.slice(0, size)
      const offered = tools.filter(tool => accepted.includes(tool) || tried.includes(tool))
      const next = await request.ask(offered)
      if ('reply' in next) [outcome, accepted, suspects] = [next, offered, suspects.slice(size)]
      else if (isRefused(next)) suspects = tried
      else return { outcome: next }
    }
    const refused = suspects.length === 1 ? suspects : []
    if (refused.length === 0) this.#suspect(suspects)
    const rest = tools.filter(tool => !accepted.includes(tool))
    const missing = [suspects, rest].map(each => each.filter(request.needs)).find(each => each.length > 0)
    const untried = rest.filter(tool => !refused.includes(tool))
    return { outcome: missing ? neededRefused(missing) : outcome, refused, untried }
  }

  #suspect(tools: readonly BindToolsInput[]): void {
    for (const name of tools.map(nameOf)) this.#suspected.set(name, (this.#suspected.get(name) ?? 0) + 1)
  }

  #likelyLast(tools: readonly BindToolsInput[]): readonly BindToolsInput[] {
    const weighed = tools.map(tool => {
      const unusual = definitionOf(tool).match(UNUSUAL)?.length ?? 0
      return { tool, weight: unusual + SUSPECTED * (this.#suspected.get(nameOf(tool)) ?? 0) }
    })
    return weighed.sort((one, other) => one.weight - other.weight).map(({ tool }) => tool)
  }
}
