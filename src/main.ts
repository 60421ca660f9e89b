import './node-version.js'
import './signals.ts'

// Imported dynamically, since an older Node cannot even parse the rest.
const { runProcess } = await import('./process.ts')
await runProcess(process.env)
