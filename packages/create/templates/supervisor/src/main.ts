import '@agent-task-service/engine/node-version'
import '@agent-task-service/engine/signals'

// Imported dynamically, since an older Node cannot even parse the rest.
const [{ runProcess }, { agent }] = await Promise.all([
  import('@agent-task-service/engine/process'),
  import('./agent.ts'),
])
await runProcess(agent, process.env)
