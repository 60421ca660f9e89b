import './node-version.js'
import './signals.ts'

// On demand: an older Node could not even parse the rest.
const { runProcess } = await import('./process.ts')
await runProcess(process.env)
