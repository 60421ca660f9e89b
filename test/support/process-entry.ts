/** The real process on the loopback interface: on any free port, or on that of `TEST_PORT`. */
import { runProcess } from '../../src/process.ts'

await runProcess(process.env, { port: Number(process.env.TEST_PORT ?? 0), hostname: '127.0.0.1' })
