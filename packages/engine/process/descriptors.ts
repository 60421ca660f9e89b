/** What the process has open when it is idle, and opens for short times: files, names, connections that it refuses. */
const RESERVED = 48
/** That of the caller, and one to a model or another server. */
const OF_TASK = 2

/** How many file descriptors the process may have open; `Infinity` if the system sets no limit. Node has raised it as far as it may. */
export function descriptorLimit(): number {
  // TypeScript does not know all of it yet.
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean }
  const { excludeNetwork } = report
  // Otherwise the report looks up names.
  report.excludeNetwork = true
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  report.excludeNetwork = excludeNetwork
  const limit = userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY
}

/** For how many connections of callers a limit of descriptors leaves room. */
export function connectionsWithin(limit: number): number {
  return Math.max(1, Math.floor((limit - RESERVED) / OF_TASK))
}
