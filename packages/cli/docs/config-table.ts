import { isSecret } from '@agent-task-service/engine/config'
import type { z } from 'zod'

type Variables = Readonly<Record<string, z.ZodType>>

const EVERYONE: readonly string[] = [
  'AGENT_ID',
  'AGENT_NAME',
  'AGENT_TOKENS',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'MODEL',
  'FALLBACK_MODEL',
  'SYSTEM_PROMPT',
  'SEARCH_PROVIDER',
  'WIKIPEDIA_URL',
  'SEARXNG_URL',
  'TAVILY_API_KEY',
  'BRAVE_API_KEY',
  'MCP_CONFIG',
]
const OPERATORS: readonly string[] = [
  'RUN_TIMEOUT_SEC',
  'ANSWER_BY_SEC',
  'MAX_STEPS',
  'MAX_OUTPUT_TOKENS',
  'MAX_TOTAL_TOKENS',
  'MAX_RUN_COST_USD',
  'MAX_DAY_COST_USD',
  'MAX_CONCURRENT_RUNS',
  'MAX_QUEUED_RUNS',
  'MAX_BODY_BYTES',
  'REPLAY_TTL_SEC',
  'REDIS_URL',
  'SHUTDOWN_GRACE_SEC',
  'ERROR_METRICS',
  'UNMASKED_VARIABLES',
  'LOG_LEVEL',
  'LOG_ERRORS',
  'LANGSMITH_TRACING',
  'LANGSMITH_API_KEY',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
]

/** Longer defaults (a whole prompt) are left to the description. */
const LONGEST_DEFAULT = 60

/**
 * A heading and a table in Markdown for each group of readers. Experts have what no other group has.
 *
 * @param variables all that the agent reads
 */
export function configTable(variables: Variables): string {
  const experts = Object.keys(variables).filter(name => !EVERYONE.includes(name) && !OPERATORS.includes(name))
  return [
    group('For everyone', EVERYONE, variables),
    group('For operators', OPERATORS, variables),
    group('For experts', experts, variables),
  ].join('\n\n')
}

function group(title: string, names: readonly string[], variables: Variables): string {
  const rows = names.flatMap(name => {
    const schema = variables[name]
    if (!schema) return []
    const meaning = `${isSecret(schema) ? '**Secret.** ' : ''}${schema.description ?? ''}`
    return row(`\`${name}\``, showDefault(schema.parse(undefined)), meaning)
  })
  return [`## ${title}`, '', row('Name', 'Default', 'Meaning'), row('---', '---', '---'), ...rows].join('\n')
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function showDefault(value: unknown): string {
  const text = value === undefined ? '' : String(value)
  return text === '' || text.length > LONGEST_DEFAULT ? '' : `\`${text}\``
}
