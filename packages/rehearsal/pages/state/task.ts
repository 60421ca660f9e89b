import type { RunRequest } from '@agent-task-service/wire/contract'
import { objectIn, textOf } from '../../json.ts'

const EMPTY = {
  input: '',
  systemPrompt: '',
  maxTokens: '',
  /** Names, separated by commas or spaces; `none`; or blank for all of the agent's. */
  tools: '',
  /** The agent's own settings, as a JSON object; or blank. */
  ownSettings: '',
  /** Blank: a new UUID for each run. */
  taskId: '',
}

/** The form's values, as typed. */
export type TaskFields = Readonly<typeof EMPTY>

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
    task_id: taskId.trim() || crypto.randomUUID(),
    input,
    ...(Object.keys(config).length > 0 && { config }),
  }
}

const DRAFT = 'draft'

/** This tab's saved form, otherwise an empty one. */
export function readDraft(): TaskFields {
  return { ...EMPTY, ...objectIn(sessionStorage.getItem(DRAFT) ?? '') }
}

/** Saves this tab's form for a reload, if the browser has room for it. */
export function saveDraft(fields: TaskFields): void {
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify(fields))
  } catch {
    // The form works without it.
  }
}

/** The fields that would produce the given request, under a new id unless it is a test's. */
export function taskFieldsOf({ input, task_id, config }: Readonly<Record<string, unknown>>): TaskFields {
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
