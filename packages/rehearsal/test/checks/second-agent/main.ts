import { runAgent } from './process.ts'
import { SecondAgent } from './second-agent.ts'

runAgent(SecondAgent, process.argv.slice(2), process.env)
