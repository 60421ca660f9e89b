import { runPlatform } from './process.ts'

await runPlatform(process.env, process.argv.slice(2))
