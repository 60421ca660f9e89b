import { SecondAgent } from './agent.ts'
import { runAgent } from './process.ts'

runAgent(SecondAgent, process.argv.slice(2), process.env)
