/** What a service knows of the run in which a model is asked. Without it, a model is on its own. */
export interface Host {
  /** An object that stands for the run underway: what a refusal teaches holds in it until a call has confirmed it. */
  readonly run?: () => object | undefined
  /** Waits for the run's turn of the event loop. */
  readonly turn?: () => Promise<void>
  /** Told of facts about a model that hold for all runs from now on. */
  readonly onFactsConfirmed?: (run: object, model: string, facts: Readonly<Record<string, unknown>>) => void
  /** The longest beginning of a text that has at most so many tokens. Without it, a token counts as four characters. */
  readonly firstTokens?: (text: string, limit: number) => Promise<string>
}
