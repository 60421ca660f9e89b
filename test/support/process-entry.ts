/** The real process, on any free port of the loopback interface. */
import { runProcess } from '../../src/process.ts'

await runProcess(process.env, { port: 0, hostname: '127.0.0.1' })
