/**
 * Measures what a setting costs: this service as it ships, then with one setting changed at a time. Writes the second table
 * of docs/reference/performance.md.
 *
 * Usage: REDIS_URL=redis://127.0.0.1:6379 node bench/settings.ts
 */
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '@agent-task-service/cli/bundle'
import { replaceRegion } from '@agent-task-service/cli/documents'
import { comparison, machine } from './figures.ts'
import { runs, starts } from './measures.ts'
import { Model } from './model.ts'
import { Server } from './server.ts'

const { REDIS_URL } = process.env
if (!REDIS_URL) throw new Error('expected REDIS_URL, such as redis://127.0.0.1:6379; it is not set')

await using folder = await mkdtempDisposable(join(tmpdir(), 'bench-'))
const model = await Model.start()
await bundle('bench/servers/ours.ts', folder.path)
const ours = (env: Record<string, string>) => () =>
  Server.start(join(folder.path, 'ours.js'), { ...model.env, ...env })

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: model.url }
const withContent = { ...collector, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' }
const langSmith = { LANGSMITH_TRACING: 'true', LANGSMITH_ENDPOINT: model.url, LANGSMITH_API_KEY: 'key' }
const contestants = {
  'as it ships': ours({}),
  'the offline model': ours({ MODEL_PROVIDER: 'offline' }),
  OpenTelemetry: ours(collector),
  'OpenTelemetry with content': ours(withContent),
  LangSmith: ours(langSmith),
  'LangSmith, a tenth of the runs': ours({ ...langSmith, LANGSMITH_TRACING_SAMPLING_RATE: '0.1' }),
  '`REDIS_URL`': ours({ REDIS_URL }),
  '`REDIS_URL` and `JOURNAL=effects`': ours({ REDIS_URL, JOURNAL: 'effects' }),
}
const measures = [await runs(contestants, model), await starts(contestants)]
replaceRegion('reference/performance.md', 'settings', `${machine()}\n\n${comparison(measures)}`)
