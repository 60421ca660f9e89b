/** The container port of every agent, by the contract. */
export const AGENT_PORT = 8080

/** The contract's limits, in milliseconds. */
export const RUN_TIMEOUT_MS = 120_000
/** For 95% of the runs. */
export const RUN_P95_MS = 30_000
export const HEALTH_TIMEOUT_MS = 5_000
export const HEALTH_INTERVAL_MS = 30_000
export const START_MS = 30_000
