import { runPlatform } from './platform/process.ts'

await runPlatform(process.env, process.argv.slice(2))
