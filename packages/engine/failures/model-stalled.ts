/** The model made no progress for as long as its patience allows, or only reasoned until an answer was due. */
export class ModelStalledError extends Error {
  override readonly name = 'ModelStalledError'
  /** Whether nothing at all had come. */
  readonly isSilent: boolean

  /** @param waitedMs how long we waited, in milliseconds */
  constructor(waitedMs: number, isSilent: boolean, what = 'made no progress') {
    super(`the model ${what} for ${Math.round(waitedMs / 100) / 10} s`)
    this.isSilent = isSilent
  }
}
