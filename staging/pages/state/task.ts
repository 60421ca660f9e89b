import type { RunRequest } from '../../../src/http/contract.ts'
import { objectIn, textOf } from '../../json.ts'

/** The form's values. */
export interface TaskFields {
  readonly input: string
  readonly systemPrompt: string
  readonly maxTokens: string
  readonly tools: 'all' | 'none' | 'chosen'
  readonly chosen: readonly string[]
  /** Further names, separated by commas or spaces. */
  readonly otherTools: string
  readonly taskId: string
}

export type TaskProblems = Partial<Record<'input' | 'maxTokens' | 'tools' | 'taskId', string>>

export const KNOWN_TOOLS = ['calculator', 'time', 'web_search'] as const
const TASK_ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|test-\d+)$/i

/** Problems by field, each saying what is expected. Empty if the fields form a valid request. */
export function problemsOf(fields: TaskFields): TaskProblems {
  const cap = fields.maxTokens.trim()
  return {
    ...(fields.input.trim() === '' && { input: 'Write a task; it must not be blank.' }),
    ...(cap !== '' &&
      !isCap(cap) && { maxTokens: `Expected a whole number of at least 1, or nothing; got “${cap}”.` }),
    ...(fields.tools === 'chosen' &&
      toolsOf(fields).length === 0 && { tools: 'Tick or name a tool, or choose “None”.' }),
    ...(!TASK_ID.test(fields.taskId.trim()) && { taskId: 'Expected a UUID, or test-<number>: test-1.' }),
  }
}

/** The request from the fields; omits empty members. */
export function requestOf(fields: TaskFields): RunRequest {
  const config = {
    ...(fields.systemPrompt.trim() !== '' && { system_prompt: fields.systemPrompt }),
    ...(fields.maxTokens.trim() !== '' && { max_tokens: Number(fields.maxTokens) }),
    ...(fields.tools !== 'all' && { enabled_tools: fields.tools === 'none' ? [] : toolsOf(fields) }),
  }
  return {
    task_id: fields.taskId.trim(),
    input: fields.input,
    ...(Object.keys(config).length > 0 && { config }),
  }
}

/** A new version 4 UUID, even without HTTPS, where `crypto.randomUUID` is missing. */
export function freshTaskId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const digits = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const DRAFT = 'draft'

/** This tab's saved form, otherwise an empty one. */
export function readDraft(): TaskFields {
  return { ...emptyFields(), ...objectIn(sessionStorage.getItem(DRAFT) ?? '') }
}

export function keepDraft(fields: TaskFields): void {
  sessionStorage.setItem(DRAFT, JSON.stringify(fields))
}

export function emptyFields(): TaskFields {
  const config = { systemPrompt: '', maxTokens: '', tools: 'all', chosen: [], otherTools: '' } as const
  return { input: '', ...config, taskId: freshTaskId() }
}

/** The fields that would produce the given request. */
export function fieldsOf({ input, task_id, config }: Readonly<Record<string, unknown>>): TaskFields {
  const { system_prompt, max_tokens, enabled_tools } = Object(config) as Record<string, unknown>
  const names = Array.isArray(enabled_tools) ? enabled_tools.map(String) : undefined
  const isKnown = (name: string) => (KNOWN_TOOLS as readonly string[]).includes(name)
  return {
    input: textOf(input),
    systemPrompt: textOf(system_prompt),
    maxTokens: String(max_tokens ?? ''),
    tools: names === undefined ? 'all' : names.length === 0 ? 'none' : 'chosen',
    chosen: names?.filter(isKnown) ?? [],
    otherTools: names?.filter(name => !isKnown(name)).join(', ') ?? '',
    taskId: isTestId(textOf(task_id)) ? textOf(task_id) : freshTaskId(),
  }
}

/** The options in use, in words. */
export function optionsIn({ systemPrompt, maxTokens, tools, taskId }: TaskFields): string[] {
  return [
    systemPrompt.trim() && 'system prompt',
    maxTokens.trim() && 'token cap',
    tools !== 'all' && 'tools',
    isTestId(taskId) && 'task id',
  ].filter(part => typeof part === 'string' && part !== '') as string[]
}

/** A test id makes every run new, while a UUID may return an earlier answer. */
export function isTestId(taskId: string): boolean {
  return taskId.startsWith('test-')
}

function toolsOf({ chosen, otherTools }: TaskFields): string[] {
  return [...new Set([...chosen, ...otherTools.split(/[\s,]+/).filter(Boolean)])]
}

function isCap(text: string): boolean {
  return /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) && Number(text) >= 1
}
