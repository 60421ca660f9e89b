const DENIED = 'ERR_ACCESS_DENIED'

/** The probe's result in a process restricted like the image's. */
export const RESTRICTED = {
  own: true,
  elsewhere: DENIED,
  environment: DENIED,
  write: DENIED,
  child: DENIED,
  thread: DENIED,
  addon: 'ERR_DLOPEN_DISABLED',
}

/** Node arguments for a process that, on SIGUSR2, prints its permissions as a line of JSON; `own`: its folder. */
export function probe(own: string): string[] {
  const code = `process.on('SIGUSR2', () => {
    const may = act => { try { act(); return true } catch (error) { return error.code } }
    const { readdirSync, readFileSync, writeFileSync } = process.getBuiltinModule('fs')
    const { spawnSync } = process.getBuiltinModule('child_process')
    const { Worker } = process.getBuiltinModule('worker_threads')
    process.stdout.write(JSON.stringify({
      msg: 'probe',
      pid: process.pid,
      own: may(() => readdirSync(${JSON.stringify(own)})),
      elsewhere: may(() => readFileSync('/etc/hostname')),
      environment: may(() => readFileSync('/proc/self/environ')),
      write: may(() => writeFileSync('/tmp/permission-probe', '')),
      child: may(() => spawnSync('true')),
      thread: may(() => new Worker('1', { eval: true })),
      addon: may(() => process.dlopen({ exports: {} }, '/nowhere.node')),
    }) + '\\n')
  })`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}
