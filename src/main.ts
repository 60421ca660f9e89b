import './signals.ts'
import { PORT } from './config.ts'
import { runProcess } from './process.ts'

await runProcess(process.env, { port: PORT, hostname: '0.0.0.0' })
