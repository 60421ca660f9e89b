import type { RunRequest } from '../../../src/wire/contract.ts'
import { isObject, jsonIn, objectIn, textOf } from '../../json.ts'

/** The form's values, as typed. */
export interface TaskFields {
  readonly input: string
  readonly systemPrompt: string
  readonly maxTokens: string
  /** Names, separated by commas or spaces; `none`; or blank for all of the agent's. */
  readonly tools: string
  /** The agent's own settings, as a JSON object; or blank. */
  readonly ownSettings: string
  /** Blank: a new UUID for each run. */
  readonly taskId: string
}

export type TaskProblems = Partial<Record<keyof TaskFields, string>>

const TASK_ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|test-\d+)?$/i

/** Problems by field, each saying what is expected. Empty if the fields form a valid request. */
export function problemsOf({ input, maxTokens, ownSettings, taskId }: TaskFields): TaskProblems {
  const cap = maxTokens.trim()
  const isCap = cap === '' || (/^0*[1-9]\d*$/.test(cap) && Number.isSafeInteger(Number(cap)))
  return {
    ...(input.trim() === '' && { input: 'Write a task; it must not be blank.' }),
    ...(!isCap && { maxTokens: `Expected a whole number of at least 1, or nothing; got “${cap}”.` }),
    ...(ownSettings.trim() !== '' &&
      !isObject(jsonIn(ownSettings)) && { ownSettings: 'Expected a JSON object, or nothing.' }),
    ...(!TASK_ID.test(taskId.trim()) && { taskId: 'Expected a UUID, test-<number>, or nothing.' }),
  }
}

/** The request from the fields; omits empty members. */
export function requestOf(fields: TaskFields): RunRequest {
  const { input, systemPrompt, maxTokens, tools, ownSettings, taskId } = fields
  const names = tools.split(/[\s,]+/).filter(Boolean)
  const config = {
    ...objectIn(ownSettings),
    ...(systemPrompt.trim() !== '' && { system_prompt: systemPrompt }),
    ...(maxTokens.trim() !== '' && { max_tokens: Number(maxTokens) }),
    ...(names.length > 0 && { enabled_tools: names.join() === 'none' ? [] : [...new Set(names)] }),
  }
  return {
    task_id: taskId.trim() || freshTaskId(),
    input,
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
const EMPTY: TaskFields = {
  input: '',
  systemPrompt: '',
  maxTokens: '',
  tools: '',
  ownSettings: '',
  taskId: '',
}

/** This tab's saved form, otherwise an empty one. */
export function readDraft(): TaskFields {
  return { ...EMPTY, ...objectIn(sessionStorage.getItem(DRAFT) ?? '') }
}

export function keepDraft(fields: TaskFields): void {
  sessionStorage.setItem(DRAFT, JSON.stringify(fields))
}

/** The fields that would produce the given request, under a new id unless it is a test's. */
export function fieldsOf({ input, task_id, config }: Readonly<Record<string, unknown>>): TaskFields {
  const { system_prompt, max_tokens, enabled_tools, ...own } = Object(config) as Record<string, unknown>
  return {
    input: textOf(input),
    systemPrompt: textOf(system_prompt),
    maxTokens: String(max_tokens ?? ''),
    tools: Array.isArray(enabled_tools) ? enabled_tools.join(', ') || 'none' : '',
    ownSettings: Object.keys(own).length > 0 ? JSON.stringify(own) : '',
    taskId: isTestId(textOf(task_id)) ? textOf(task_id) : '',
  }
}

/** A test id makes every run new, while a UUID may return an earlier answer. */
export function isTestId(taskId: string): boolean {
  return taskId.startsWith('test-')
}
