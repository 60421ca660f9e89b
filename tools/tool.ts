import type { z } from 'zod'

/** What a tool may rely on while it runs. */
export interface ToolContext {
  /** Aborts when the run ends (deadline, hang-up, shutdown). A tool that waits must pass it on. */
  readonly signal: AbortSignal
}

/**
 * One thing the agent can do. The model sees `name`, `description` and the JSON Schema of `schema`;
 * arguments are validated before `run` is called.
 */
export interface Tool<Schema extends z.ZodType = z.ZodType> {
  /** Shown to the model and used in `config.enabled_tools`: 1 to 64 of `a-z A-Z 0-9 _ -`. */
  readonly name: string
  /** Says when to use the tool and what it returns, for a model to read. */
  readonly description: string
  /** A Zod object: the arguments. Describe every member. */
  readonly schema: Schema
  /**
   * Does the work and returns text for the model.
   * @throws {ToolError} when the model can do better next time: its message says what was wrong and what would be right.
   */
  run(args: z.output<Schema>, context: ToolContext): Promise<string> | string
}

/** Keeps the argument types of `run` in step with `schema`, and forgets them for the registry. */
export function defineTool<Schema extends z.ZodType>(tool: Tool<Schema>): Tool {
  return tool as unknown as Tool
}

/** A failure the model should read: `message` is handed to it word for word, so it must hold no secret. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
