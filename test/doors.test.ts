import { expect, test } from 'vitest'
import { importsOf, isTest, testFiles } from './imports.ts'

/** Modules behind a package's doors that tests import, by the reason why. */
const PAST_DOORS: Readonly<Record<string, readonly string[]>> = {
  'algorithms, parsers and bounds with many cases or hostile input, which a door would make slow': [
    'packages/cli/build/third-party-notices.ts',
    'packages/cli/eval/figures.ts',
    'packages/cli/eval/scorer.ts',
    'packages/share/script-results.ts',
    'packages/engine/langchain-cost/run-callbacks.ts',
    'packages/engine/langchain-cost/untraced.ts',
    'packages/engine/run/limits.ts',
    'packages/engine/log/log.ts',
    'packages/engine/failures/classify-error.ts',
    'packages/engine/failures/echoes.ts',
    'packages/engine/model/changes.ts',
    'packages/engine/model/facts-from-refusals.ts',
    'packages/engine/model/plain-tool.ts',
    'packages/engine/run/budget.ts',
    'packages/engine/run/events.ts',
    'packages/engine/telemetry/langsmith.ts',
    'packages/engine/config/langsmith.ts',
    'packages/mcp/bounded-fetch.ts',
    'packages/mcp/inflow.ts',
    'packages/mcp/message-scan.ts',
    'packages/mcp/normalize-message.ts',
    'packages/mcp/session.ts',
    'packages/mcp/tool-result.ts',
    'packages/mcp/tool-schema.ts',
    'packages/mcp/transport.ts',
    'packages/observe/content.ts',
    'packages/observe/settings.ts',
    'packages/openai-compatible/replies/calls.ts',
    'packages/rehearsal/agents/exchange.ts',
    'packages/rehearsal/checks/parts/trend.ts',
    'packages/rehearsal/checks/patterns.ts',
    'packages/rehearsal/command/report-junit.ts',
    'packages/rehearsal/command/report-text.ts',
    'packages/rehearsal/curl.ts',
    'packages/rehearsal/pages/parts/graph-layout.ts',
    'packages/rehearsal/pages/state/differences.ts',
    'packages/rehearsal/pages/state/format.ts',
    'packages/rehearsal/pages/state/run-graph.ts',
    'packages/rehearsal/pages/state/run-steps.ts',
    'packages/rehearsal/pages/state/task.ts',
    'packages/rehearsal/platform/options.ts',
    'packages/rehearsal/platform/welcome.ts',
    'packages/rehearsal/tasks/numbers-and-times.ts',
    'packages/starter/calculator/parser.ts',
    'packages/starter/code/decimal.ts',
    'packages/starter/code/typed-rows.ts',
    'packages/starter/table/find-tables.ts',
    'packages/starter/table/table.ts',
    'packages/starter/web-search/choose.ts',
    'packages/starter/web-search/cookies.ts',
    'packages/starter/web-search/fetch-page.ts',
    'packages/starter/web-search/pdf-reader.ts',
    'packages/starter/web-search/plain-text.ts',
    'packages/starter/web-search/read-page.ts',
    'packages/starter/web-search/result-text.ts',
  ],
  'races and bounds that only a gate within brings about': [
    'packages/share/claim-scripts.ts',
    'packages/share/redis-ledger.ts',
    'packages/engine/http/body-room.ts',
    'packages/engine/http/body-scan.ts',
    'packages/engine/graph/invoke-graph.ts',
    'packages/engine/model/short-outage.ts',
    'packages/engine/run/fair-share.ts',
    'packages/engine/run/run-controller.ts',
    'packages/engine/run/run.ts',
    'packages/engine/run/turn-order.ts',
    'packages/engine/tasks/admission.ts',
    'packages/engine/tasks/event-feed.ts',
    'packages/engine/tasks/join-and-replay.ts',
    'packages/engine/tasks/ledger.ts',
    'packages/engine/tasks/mask-events.ts',
    'packages/engine/tasks/memory-ledger.ts',
    'packages/engine/tasks/run-task.ts',
    'packages/rehearsal/checks/parts/container-image.ts',
    'packages/rehearsal/checks/session/session.ts',
    'packages/rehearsal/own-delay.ts',
    'packages/rehearsal/platform/staging-route/relay.ts',
  ],
  'parts of a process, which a test holds, ends and takes back': [
    'packages/engine/process/warm-up.ts',
    'packages/engine/service/proxies.ts',
    'packages/openai-compatible/requests/responses-request.ts',
    'packages/starter/web-search/reader-process.ts',
    'packages/starter/web-search/reader.ts',
  ],
  'lists that are proved word by word': [
    'packages/starter/calculator/names.json',
    'packages/starter/calculator/notation.json',
  ],
}

/** A template is an agent, and its tests are its owner's. */
const isTemplate = (path: string) => path.startsWith('packages/create/templates/')

test('tests go through the doors of packages, but for a list of modules', () => {
  const imported = testFiles
    .flatMap(importsOf)
    .map(({ to }) => to)
    .filter(path => path.startsWith('packages/') && !isTest(path) && !isTemplate(path))
  expect([...new Set(imported)].sort()).toEqual(Object.values(PAST_DOORS).flat().sort())
})
