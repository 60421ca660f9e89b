/** What others send, read within bounds. */
export * from './untrusted/json.ts'
export * from './untrusted/json-scan.ts'
export * from './untrusted/ranges-of-json.ts'
export * from './untrusted/truncate.ts'
