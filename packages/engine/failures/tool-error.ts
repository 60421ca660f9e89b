/**
 * A failure that the model should read. It gets `message` verbatim, so that must hold no secret.
 *
 * @example
 * throw new ToolError(`Order ${id} does not exist. Order numbers have eight digits.`)
 */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'
}

/**
 * A failure after which nobody knows whether the call had its effect, as when a connection breaks. The model reads `message`.
 * If the replica is lost afterwards, the call counts as one that may have happened.
 */
export class UnknownOutcome extends ToolError {
  override readonly name: string = 'UnknownOutcome'
}

/** Whether a tool itself says how a call ended. */
export function isOutcomeKnown(failure: unknown): failure is ToolError {
  return failure instanceof ToolError && !(failure instanceof UnknownOutcome)
}

/** A tool failed in a way its author did not foresee. The model only reads that it failed. */
export class ToolFault extends UnknownOutcome {
  override readonly name: string = 'ToolFault'
}

/** A tool exceeded its time limit. */
export class ToolTimeout extends ToolFault {
  override readonly name = 'ToolTimeout'
}

/** For a call of a tool that the run's `enabled_tools` leaves out. */
export function notEnabled(name: string): ToolError {
  return new ToolError(`the tool ${name} is not enabled for this run`)
}

/** Why tools with side effects are refused, by the variable in which an operator may name them. */
export const refusals = {
  TOOLS_AFTER_WEB: 'the run has read the web',
  WRITTEN_CALLS: 'its call was written as text',
} as const

/** A tool with side effects was refused. */
export class ToolRefusal extends ToolError {
  override readonly name = 'ToolRefusal'
  readonly setting: keyof typeof refusals

  constructor(setting: keyof typeof refusals, message: string) {
    super(message)
    this.setting = setting
  }
}
