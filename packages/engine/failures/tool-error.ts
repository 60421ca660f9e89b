/**
 * A failure that the model should read. It gets `message` verbatim, so that must hold no secret.
 *
 * @example
 * throw new ToolError(`Order ${id} does not exist. Order numbers have eight digits.`)
 */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'
}

/** A tool failed in a way its author did not foresee. The model only reads that it failed. */
export class ToolFault extends ToolError {
  override readonly name: string = 'ToolFault'
}

/** A tool exceeded its time limit. */
export class ToolTimeout extends ToolFault {
  override readonly name = 'ToolTimeout'
}

/** A tool with side effects was refused because the run has read the web. */
export class ToolRefusal extends ToolError {
  override readonly name = 'ToolRefusal'
}
