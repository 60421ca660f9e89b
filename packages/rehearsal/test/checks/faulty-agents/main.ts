import { runAgent } from '../second-agent/process.ts'
import { processFaults } from './process-faults.ts'

const [name, ...args] = process.argv.slice(2)
const fault = processFaults.find(one => one.name === name)
if (fault === undefined) throw new Error(`expected the name of a fault of a process, got ${name}`)
await fault.beforeStart?.()
runAgent(fault.Agent, args, process.env, fault.host)
