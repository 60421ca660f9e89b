import type { ArgumentsSchema } from '@agent-task-service/messages/arguments'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import { truncate } from '@agent-task-service/wire/untrusted'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { z } from 'zod'
import { type ContextConfig, RunContext, readContext } from '../run/context.ts'
import { toolText } from '../run/count-tokens.ts'
import { callableTools, guardTool } from '../tools/guarded-tools.ts'
import { bestMatches } from './rank.ts'

type Tool = StructuredToolInterface

/** Name of the tool that finds others. */
export const FIND_TOOLS = 'find_tools'
/** Most tools of packages in a request: OpenAI takes 128, with the agent's own. */
const MAX_LISTED = 100
/** Most tools that are found by words. */
const MOST_FOUND = 8
/** A tool is found if it matches at least this much as well as the best one. */
const LEAST_SHARE = 0.3
/** Longest description of a found tool, in characters: the whole of it is in the next request. */
const MAX_SUMMARY = 100
/** Longest description of a tool that OpenAI takes, in characters. */
const MAX_DESCRIPTION = 1024
/** Longest list of the names of tools that can be found, in characters: some 200 of them. */
const MAX_NAMES = 5_000
/** How many characters of a tool make a token, measured on 120 tools of MCP servers: a vocabulary would take 75 MB. */
const CHARACTERS_PER_TOKEN = 4.5

interface Search {
  /** Those that it finds. */
  readonly tools: readonly Tool[]
  /** How many tokens those that it has found may take in a request. */
  readonly foundTokens: number
}

const searches = new WeakMap<object, Search>()

/** Whether a request has room for all of them. */
export function fitRequest(tools: readonly Tool[], maxTokens: number): boolean {
  return tools.length <= MAX_LISTED && tokensOf(tools) <= maxTokens
}

/** What tools take in each request to a model, in tokens. */
export function tokensOf(tools: readonly Tool[]): number {
  return Math.ceil(tools.reduce((sum, each) => sum + toolText(each).length, 0) / CHARACTERS_PER_TOKEN)
}

/**
 * A tool that finds these by words. While a model is offered it, it is offered only those of them that it has found or called in its
 * conversation; called they can be all the same.
 *
 * @param maxTokens that it and what it found may take in each request
 */
export function toolSearch(tools: readonly Tool[], maxTokens: number): Tool {
  const sorted = tools.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const names = sorted.map(({ name }) => name).join(', ')
  const isNamed = names.length <= MAX_NAMES
  const servers = isNamed ? '' : ` Servers: ${countedServers(sorted)}.`
  const advice = `search ${isNamed ? 'by a name of the list' : 'in English, for what it does'}.${servers}`
  const find = ({ query }: { readonly query: string }, config: ToolRunnableConfig) => {
    const callable = callableTools(sorted, { context: readContext(config, RunContext) })
    const found = firstWithin(foundTokens, matches(query, callable))
    if (found.length === 0) return `No tool fits: ${advice}`
    return [
      ...found.map(({ name, description }) => `${name}: ${summaryOf(description)}`),
      `If none fits, ${advice}`,
    ].join('\n')
  }
  const description = `Loads more tools, for your next turn to call. Search before you say that you cannot do something.${servers}`
  const choice = isNamed ? `Names of tools, of: ${names}. If none fits: ` : ''
  const query = `${choice}what the tools should do, in English`
  const search = guardTool(
    tool(find, {
      name: FIND_TOOLS,
      description: truncate(description, MAX_DESCRIPTION),
      schema: z.object({ query: z.string().describe(query) }),
      metadata: { readOnlyHint: true, idempotentHint: true },
    }),
  )
  const foundTokens = maxTokens - tokensOf([search])
  searches.set(search, { tools, foundTokens })
  return search
}

/**
 * The tools that a query names, with or without their server, or, if it names none, those that have its words. A name of one word is
 * just a word.
 */
function matches(query: string, tools: readonly Tool[]): Tool[] {
  const words = query.split(/[\s,;"'`]+/)
  const named = tools.filter(({ name }) => words.some(word => isNameOf(word, name)))
  if (named.length > 0) return named
  return bestMatches(query, tools, [nameWords, otherWords], { most: MOST_FOUND, leastShare: LEAST_SHARE })
}

function isNameOf(word: string, name: string): boolean {
  return word === name || (/[_-]/.test(word) && name.endsWith(`__${word}`))
}

/** As many of them as a request with so many tokens has room for, but at least one. */
function firstWithin(maxTokens: number, tools: readonly Tool[]): Tool[] {
  let left = maxTokens
  return tools.filter((each, nth) => {
    left -= tokensOf([each])
    return (left >= 0 && nth < MAX_LISTED) || nth === 0
  })
}

/**
 * Those of the offered tools that a request lists: not the ones that a search among them would have to find first, unless the run's
 * settings name them.
 */
export function listedTools<Offered extends BindToolsInput>(
  offered: readonly Offered[],
  messages: readonly BaseMessage[],
  { context }: ContextConfig,
): Offered[] {
  if (context?.enabled_tools) return [...offered]
  const search = offered.map(each => searches.get(each)).find(known => known !== undefined)
  if (!search) return [...offered]
  const found = foundIn(messages, search)
  const isUnfound = new Set(search.tools.map(({ name }) => name).filter(name => !found.has(name)))
  return offered.filter(each => !isUnfound.has(nameOf(each)))
}

/** The names of tools that the conversation calls, and of those found last, as many as the search may send. */
function foundIn(messages: readonly BaseMessage[], { tools, foundTokens }: Search): ReadonlySet<string> {
  const byName = new Map(tools.map(each => [each.name, each]))
  const results = messages.filter(({ type, name }) => type === 'tool' && name === FIND_TOOLS)
  const lines = results.toReversed().flatMap(({ text }) => text.split('\n'))
  const found = lines.map(line => byName.get(line.split(':', 1)[0]!)).filter(each => each !== undefined)
  const calls = messages.flatMap(message => (message as Partial<AIMessage>).tool_calls ?? [])
  return new Set([...firstWithin(foundTokens, [...new Set(found)]), ...calls].map(({ name }) => name))
}

function nameWords({ name }: Tool): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
}

function otherWords({ description, schema }: Tool): string {
  return [description, ...Object.keys((toJsonSchema(schema) as ArgumentsSchema).properties ?? {})].join(' ')
}

/** Its first sentence. */
function summaryOf(description: string): string {
  const [sentence = ''] = description
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?]) /)
  return truncate(sentence, MAX_SUMMARY)
}

/** How many tools each server has: `git (28), memory (9)`. */
function countedServers(tools: readonly Tool[]): string {
  const byServer = Map.groupBy(tools, ({ name }) => name.split('__', 1)[0])
  return [...byServer].map(([server, own]) => `${server} (${own.length})`).join(', ')
}
