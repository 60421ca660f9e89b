/** The platform, for a program that runs it in itself. */
export { createRedact, secretsIn } from '../redact.ts'
export { openStore, type Store } from '../store/store.ts'
export { createPlatform, type PlatformParts } from './platform.ts'
export { listen } from './server.ts'
