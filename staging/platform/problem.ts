/** Why the platform does not do what it was asked. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 421
  readonly headers: Readonly<Record<string, string>>

  /** @param message what was expected and what came */
  constructor(status: Problem['status'], message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}
