import type { z } from 'zod'

/** What a tool may rely on while it runs. */
export interface ToolContext<Secret extends string = string> {
  /**
   * Aborts when the run ends (deadline, hang-up, shutdown) and when the tool's own time is over. A tool that waits must
   * pass it on.
   */
  readonly signal: AbortSignal
  /** The values of the secrets that the tool declares. They belong in no result, no error and no log. */
  readonly secrets: Readonly<Record<Secret, string>>
}

/** JSON Schema of an object: arguments that are checked by whoever the tool hands them to. */
export type JsonSchema = Readonly<Record<string, unknown>>

type Arguments<Schema> = Schema extends z.ZodType ? z.output<Schema> : Readonly<Record<string, unknown>>

/**
 * One thing the agent can do. The model sees `name`, `description` and the JSON Schema of `schema`;
 * arguments are validated before `run` is called.
 */
export interface Tool<
  Schema extends z.ZodType | JsonSchema = z.ZodType | JsonSchema,
  Secret extends string = string,
> {
  /** Shown to the model and used in `config.enabled_tools`: 1 to 64 of `a-z A-Z 0-9 _ -`. */
  readonly name: string
  /** Says when to use the tool and what it returns, for a model to read. */
  readonly description: string
  /** A Zod object: the arguments. Describe every member. */
  readonly schema: Schema
  /** Environment variables with the keys that the tool needs. Where one is not set, the tool is not offered. */
  readonly secrets?: readonly Secret[] | undefined
  /** Longest time that `run` may take, in milliseconds; absent: 20,000. What comes later goes nowhere. */
  readonly timeLimitMs?: number | undefined
  /**
   * Does the work and returns text for the model.
   * @throws {ToolError} when the model can do better next time: its message says what was wrong and what would be right.
   */
  run(args: Arguments<Schema>, context: ToolContext<Secret>): Promise<string> | string
}

/** Keeps the types of `run` in step with `schema` and `secrets`, and forgets them for the registry. */
export function defineTool<Schema extends z.ZodType, const Secret extends string = never>(
  tool: Tool<Schema, Secret>,
): Tool<z.ZodType> {
  return tool as unknown as Tool<z.ZodType>
}

/** A failure the model should read: `message` is handed to it word for word, so it must hold no secret. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'
}
