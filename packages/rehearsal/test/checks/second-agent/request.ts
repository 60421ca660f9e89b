export interface Task {
  readonly id: string
  readonly input: string
  readonly systemPrompt: string
  readonly maxTokens: number | undefined
  readonly tools: ReadonlySet<string>
}

/** Why a request is refused. */
export class Refusal extends Error {
  readonly status: number
  readonly taskId: string

  constructor(status: number, message: string, taskId = '') {
    super(message)
    this.status = status
    this.taskId = taskId
  }
}

export const TOOLS: ReadonlySet<string> = new Set(['calculator', 'time'])
const SYSTEM_PROMPT = 'Answer in one short line.'

/** @throws Refusal that says what is wrong */
export function checkTask(body: unknown): Task {
  if (!isObject(body)) throw new Refusal(400, 'the body must be a JSON object')
  const { task_id: id, input, config = {} } = body
  if (typeof id !== 'string' || id === '') throw new Refusal(400, 'task_id must be a text')
  const refuse = (message: string) => new Refusal(400, message, id)
  if (typeof input !== 'string' || input.trim() === '')
    throw refuse('input must be a text that says something')
  if (!isObject(config)) throw refuse('config must be an object')
  const prompt = config.system_prompt ?? SYSTEM_PROMPT
  const cap = config.max_tokens ?? undefined
  const names = config.enabled_tools ?? [...TOOLS]
  if (typeof prompt !== 'string') throw refuse('config.system_prompt must be a text')
  if (cap !== undefined && !(Number.isInteger(cap) && Number(cap) > 0)) {
    throw refuse('config.max_tokens must be a whole number above zero')
  }
  if (!Array.isArray(names) || names.some(name => typeof name !== 'string')) {
    throw refuse('config.enabled_tools must be a list of texts')
  }
  const tools = new Set(names.filter(name => TOOLS.has(name)))
  return { id, input, systemPrompt: prompt, maxTokens: cap as number | undefined, tools }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
