import { nameOf } from '@agent-task-service/messages/offered-tools'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import {
  definitionOf,
  type FailedRequest,
  type Finding,
  isRefused,
  neededRefused,
  type ToolRequest,
} from './tool-request.ts'

/** Parts of a schema that some provider refuses. */
const UNUSUAL =
  /"(?:\$\w+|anyOf|oneOf|allOf|not|if|const|default|pattern|format|definitions|prefixItems|(?:pattern|unevaluated)Properties)":|"type":\[/g

/**
 * Finds a tool that a provider refuses without naming it: asks without tools and, if that is accepted, with half of them, and
 * so on. Some providers accept results only with their tools, so those are kept at first. With the refused request, that is
 * at most two requests more than the logarithm of the tools, to base 2, rounded up; one more if a tool with results is refused.
 *
 * @param tools as they were refused
 * @param first what came of the run's first request
 * @returns the outcome of the accepted request with most tools
 */
export async function findRefused<Reply>(
  request: ToolRequest<Reply>,
  tools: readonly BindToolsInput[],
  first: FailedRequest,
): Promise<Finding<Reply>> {
  let accepted = toolsWithResults(tools, request.messages)
  let outcome = await request.ask(accepted)
  if (isRefused(outcome) && accepted.length > 0) [accepted, outcome] = [[], await request.ask([])]
  if (!('reply' in outcome)) return { outcome: isRefused(outcome) ? first : outcome }
  // One of the suspects is refused for certain. The likely ones come last, so that most are accepted on the way.
  let suspects = likelyLast(tools.filter(tool => !accepted.includes(tool)))
  while (suspects.length > 1 && !request.mustWrapUp()) {
    const tried = suspects.slice(0, Math.ceil(suspects.length / 2))
    const offered = tools.filter(tool => accepted.includes(tool) || tried.includes(tool))
    const next = await request.ask(offered)
    if ('reply' in next) [outcome, accepted, suspects] = [next, offered, suspects.slice(tried.length)]
    else if (isRefused(next)) suspects = tried
    else return { outcome: next }
  }
  const refused = suspects.length === 1 ? suspects : []
  const rest = tools.filter(tool => !accepted.includes(tool))
  const missing = [refused, rest].map(each => each.filter(request.needs)).find(each => each.length > 0)
  const untried = rest.filter(tool => !refused.includes(tool))
  return { outcome: missing ? neededRefused(missing) : outcome, refused, untried }
}

function toolsWithResults(tools: readonly BindToolsInput[], messages: readonly BaseMessage[]) {
  const names = new Set(messages.filter(({ type }) => type === 'tool').map(({ name }) => name))
  return tools.filter(tool => names.has(nameOf(tool)))
}

function likelyLast(tools: readonly BindToolsInput[]): readonly BindToolsInput[] {
  const counted = tools.map(tool => ({ tool, unusual: definitionOf(tool).match(UNUSUAL)?.length ?? 0 }))
  return counted.sort((one, other) => one.unusual - other.unusual).map(({ tool }) => tool)
}
