/** A platform's store in a separate process: writes ten runs to each file that it receives. */
import type { FinishedRun } from '../../../staging/store/run-log.ts'
import { openStore } from '../../../staging/store/store.ts'

const asItIs = { text: (text: string) => text, json: <Value>(value: Value) => value }

process.on('message', ({ file, run }: { file: string; run: FinishedRun }) => {
  const { runs, close } = openStore(file, asItIs)
  for (let number = 0; number < 10; number += 1) runs.add({ ...run, at: new Date(run.at) })
  close()
  process.send?.('written')
})
process.send?.('ready')
