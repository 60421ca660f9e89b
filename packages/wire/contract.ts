/** The shapes on the wire: requests, replies and the events of a run. */
export * from './contract/contract.ts'
export * from './contract/run-events.ts'
