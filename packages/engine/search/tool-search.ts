import type { ArgumentsSchema } from '@agent-task-service/messages/arguments'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import { truncate } from '@agent-task-service/wire/untrusted'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { z } from 'zod'
import { RunContext, readContext } from '../run/context.ts'
import { toolText } from '../run/tokens.ts'
import { callableTools, guardTool } from '../tools/guarded-tools.ts'
import { bestMatches } from './rank.ts'

type Tool = StructuredToolInterface

/** Name of the tool that finds others. */
export const FIND_TOOLS = 'find_tools'
/** Most tools that one search finds. */
const MOST_FOUND = 5
/** Longest description of a found tool, in characters: the whole of it is in the next request. */
const MAX_SUMMARY = 200
/** What stands between the name of a server and that of its tool. */
const BEHIND_SERVER = '__'
/** Longest description of a tool that OpenAI takes, in characters. */
const MAX_DESCRIPTION = 1024
/** Longest list of the names of tools that can be found, in characters: some 150 of them. */
const MAX_NAMES = 2_400
/** How many characters of a tool make a token, measured on 120 tools of MCP servers: a vocabulary would take 75 MB. */
const CHARACTERS_PER_TOKEN = 4.5

interface Search {
  /** Those that it finds. */
  readonly tools: readonly Tool[]
  /** How many tokens those that it has found may take in a request. */
  readonly foundTokens: number
}

const searches = new WeakMap<object, Search>()

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
  const { servers, names } = contentsOf(sorted)
  const find = ({ query }: { readonly query: string }, config: ToolRunnableConfig) => {
    const context = readContext(config, RunContext)
    const found = bestMatches(query, callableTools(sorted, { context }), searchText, MOST_FOUND)
    if (found.length === 0) return `No tool has these words. Servers: ${servers}.`
    return found.map(({ name, description }) => `${name}: ${summaryOf(description)}`).join('\n')
  }
  const description = `Finds more tools, by words. From your next turn on you can call what it found. Servers: ${servers}.`
  const query = names.length > MAX_NAMES ? 'What the tool does' : `What the tool does, or its name. ${names}`
  const search = guardTool(
    tool(find, {
      name: FIND_TOOLS,
      description: truncate(description, MAX_DESCRIPTION),
      schema: z.object({ query: z.string().describe(query) }),
      metadata: { readOnlyHint: true, idempotentHint: true },
    }),
  )
  searches.set(search, { tools, foundTokens: maxTokens - tokensOf([search]) })
  return search
}

/** Those of the offered tools that a request lists: not the ones that a search among them would have to find first. */
export function listedTools<Offered extends BindToolsInput>(
  offered: readonly Offered[],
  messages: readonly BaseMessage[],
): Offered[] {
  const search = offered.map(each => searches.get(each)).find(known => known !== undefined)
  if (!search) return [...offered]
  const found = foundIn(messages, search)
  const isUnfound = new Set(search.tools.map(({ name }) => name).filter(name => !found.has(name)))
  return offered.filter(each => !isUnfound.has(nameOf(each)))
}

/** The names of tools that the conversation calls, and of those found last until they fill the search's tokens. */
function foundIn(messages: readonly BaseMessage[], { tools, foundTokens }: Search): ReadonlySet<string> {
  const calls = messages.flatMap(message => (message as Partial<AIMessage>).tool_calls ?? [])
  const names = new Set(calls.map(({ name }) => name))
  const byName = new Map(tools.map(each => [each.name, each]))
  const results = messages.filter(({ type, name }) => type === 'tool' && name === FIND_TOOLS)
  const lines = results.toReversed().flatMap(({ text }) => text.split('\n'))
  const found = lines.map(line => byName.get(line.split(':', 1)[0]!)).filter(each => each !== undefined)
  let left = foundTokens
  for (const each of found) {
    if (names.has(each.name)) continue
    left -= tokensOf([each])
    if (left < 0 && each !== found[0]) break
    names.add(each.name)
  }
  return names
}

/** What a tool is found by; its name counts twice. */
function searchText({ name, description, schema }: Tool): string {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
  const members = Object.keys((toJsonSchema(schema) as ArgumentsSchema).properties ?? {})
  return [words, words, description, ...members].join(' ')
}

function summaryOf(description: string): string {
  return truncate(description.replace(/\s+/g, ' ').trim(), MAX_SUMMARY)
}

/** How many tools each server has, and their names. */
function contentsOf(tools: readonly Tool[]): { readonly servers: string; readonly names: string } {
  const byServer = [...Map.groupBy(tools, ({ name }) => name.split(BEHIND_SERVER, 1)[0]!)]
  const namesOf = (server: string, own: readonly Tool[]) =>
    own.map(({ name }) => name.replace(`${server}${BEHIND_SERVER}`, '')).join(', ')
  return {
    servers: byServer.map(([server, own]) => `${server} (${own.length})`).join(', '),
    names: byServer.map(([server, own]) => `${server}: ${namesOf(server, own)}`).join('; '),
  }
}
