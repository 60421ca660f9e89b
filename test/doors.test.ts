import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** Modules behind a package's doors that tests import, by the reason why. */
const PAST_DOORS: Readonly<Record<string, readonly string[]>> = {
  'what a stand-in for another program must know of it': [
    'packages/engine/fleet/claim-scripts.ts',
  ],
  'races between replicas, which a test must stop at a place within': [
    'packages/engine/fleet/redis-lease.ts',
    'packages/engine/fleet/redis-ledger.ts',
  ],
  'not looked at yet': [
    'packages/engine/fleet/script-results.ts',
    'packages/engine/log/log.ts',
  ],
  'bounds and races that a caller cannot bring about, or not in time': [
    'packages/engine/http/body-room.ts',
    'packages/engine/tasks/admission.ts',
    'packages/engine/tasks/event-feed.ts',
    'packages/engine/tasks/join-and-replay.ts',
    'packages/engine/tasks/ledger.ts',
    'packages/engine/tasks/mask-events.ts',
    'packages/engine/tasks/memory-ledger.ts',
    'packages/engine/tasks/run-task.ts',
  ],
  'races that need an inner gate, and what comes after the end of a run': [
    'packages/engine/invoke-graph.ts',
    'packages/engine/run/run-controller.ts',
    'packages/engine/run/run.ts',
  ],
  'compared with what LangChain does in its place': [
    'packages/engine/langchain-cost/run-callbacks.ts',
  ],
  'algorithms with many cases, which HTTP would make slow': [
    'packages/engine/limits.ts',
    'packages/engine/model/refused-tools.ts',
    'packages/engine/run/budget.ts',
    'packages/engine/run/events.ts',
    'packages/engine/telemetry/settings.ts',
  ],
  'parsers and bounds of what hostile servers send, to the byte': [
    'packages/engine/mcp/bounded-fetch.ts',
    'packages/engine/mcp/inflow.ts',
    'packages/engine/mcp/message-scan.ts',
    'packages/engine/mcp/tool-schema.ts',
  ],
  'races that need an inner gate': [
    'packages/engine/model/short-outage.ts',
  ],
  'a part of a process, without the process': [
    'packages/engine/process/warm-up.ts',
  ],
  'what a process sets once for all, and a test must take back': [
    'packages/engine/proxies.ts',
  ],
  'what documents list in full': [
    'packages/engine/replies/errors.ts',
  ],
  'algorithms with many cases, which a door would make slow, and hostile input': [
    'packages/openai-compatible/in/calls.ts',
    'packages/openai-compatible/in/text/call-bodies.ts',
    'packages/openai-compatible/in/text/text-reader.ts',
    'packages/starter/calculator/parser.ts',
    'packages/starter/web-search/choose.ts',
    'packages/starter/web-search/fetch-page.ts',
    'packages/starter/web-search/plain-text.ts',
    'packages/starter/web-search/rank.ts',
    'packages/starter/web-search/read-page.ts',
    'packages/starter/web-search/result-text.ts',
  ],
  'what two runs learn at once, where each must be held in the middle': [
    'packages/openai-compatible/learn/api.ts',
  ],
  'loaded beforehand, since it takes a second, which tests of time limits have not': [
    'packages/openai-compatible/out/responses-request.ts',
  ],
  'algorithms and texts with many cases, which HTTP, a process or a browser would make slow': [
    'packages/rehearsal/agents/exchange.ts',
    'packages/rehearsal/command/report-junit.ts',
    'packages/rehearsal/command/report-text.ts',
    'packages/rehearsal/curl.ts',
    'packages/rehearsal/pages/state/format.ts',
    'packages/rehearsal/pages/state/run-steps.ts',
    'packages/rehearsal/pages/state/task.ts',
    'packages/rehearsal/platform/options.ts',
    'packages/rehearsal/platform/welcome.ts',
    'packages/rehearsal/tasks/numbers-and-times.ts',
  ],
  'what depends on an order, or on programs, that only a gate within decides': [
    'packages/rehearsal/checks/parts/container-image.ts',
    'packages/rehearsal/checks/session/session.ts',
    'packages/rehearsal/platform/staging-route/relay.ts',
  ],
  'a list that is proved word by word': [
    'packages/starter/calculator/names.json',
    'packages/starter/calculator/notation.json',
  ],
  'what a process of the product is, so that tests can hold it, end it and probe it': [
    'packages/starter/web-search/reader-process.ts',
    'packages/starter/web-search/reader.ts',
  ],
}

const isTest = (path: string) => /^test\/|^packages\/(?:[\w-]+\/test|test-support)\//.test(path)

/** The modules of packages that a file imports by their path. */
function pastDoors(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(\.[^'$]+)'/g)
  return [...specifiers]
    .map(([, specifier = '']) => join(dirname(file), specifier))
    .filter(path => path.startsWith('packages/') && !isTest(path))
}

test('tests go through the doors of packages, but for a list of modules', () => {
  const files = globSync('{test,packages}/**/*.ts', { exclude: ['**/node_modules'] }).filter(isTest)
  const imported = new Set(files.flatMap(pastDoors))
  expect([...imported].sort()).toEqual(Object.values(PAST_DOORS).flat().sort())
})
