/**
 * The service cannot start with what it was given: the environment, a model, a graph or a tool. `message` is for the
 * operator: it says what was expected, and holds no secret's value.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}
