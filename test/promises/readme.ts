import type { Proofs } from './promises-of.ts'

const EXAMPLE = 'test/offline-model/offline-model.test.ts: answers the example in the README, word for word'
const NEW_NODE = 'test/process/start.test.ts: reports a Node that is too old in one line, with what to do'

export const readme: Proofs = {
  'An agent behind `POST /run` and `GET /health` on port 8080': [
    'test/engine/config/config.test.ts: the port is not a setting',
    'test/container/run.try.ts: answers a task with the offline model, and exits with code 0',
  ],
  "a thin Hono server that keeps a marketplace's contract to the letter": [
    'test/engine/http/contract.test.ts: the tables name every case once',
    'test/properties/contract.test.ts: any object: 200, the shape of a run response, and success exactly if the request is valid',
  ],
  '`graph/`, `tools/` and `src/` are yours': [
    'test/docs/graph-guide.test.ts: every edit stays within what its owner keeps when a later version replaces the rest',
  ],
  workshop: [
    'test/studio/studio.test.ts: the assistant has its graph: named nodes and the edges between them',
    'test/docs/tools-guide.test.ts: the first tool works over HTTP, next to the others',
    'test/engine/recorded.test.ts: records an exchange once, and replays it without the endpoint or a key',
  ],
  rehearsal: [
    'test/scripts/build-rehearsal.test.ts: the built checks examine an agent by its URL, without node_modules',
    'test/browser/journey.test.ts: works by keyboard alone: run, inspect, edit and rerun, start the checks',
  ],
  'On Linux and on Macs any Node with npm will do': [
    'test/engine/start-up.test.ts: an older Node gets the message before code that it cannot parse',
    NEW_NODE,
  ],
  '`npm ci` installs the one that runs the npm scripts, Node 24, or 26 on Apple Silicon.': [
    'test/docs/dependencies.test.ts: npm ci installs Node $major on $os $cpu',
  ],
  "serves on http://localhost:8080, the interface's port, without a key or a network": [
    'test/container/run.try.ts: answers a task with the offline model, and exits with code 0',
    EXAMPLE,
  ],
  '`npm run dev` serves from the sources, restarts on every save, and logs the messages and stacks of your own errors.':
    [
      'test/process/dev.test.ts: notices every save, however it is written, and again',
      'test/process/dev.test.ts: errors full mark 0',
      'test/engine/log-errors.test.ts: LOG_ERRORS=full: messages and stacks of tools and of the graph, without secrets',
    ],
  '"output":"15% of 240 = 36\\n1776-07-04 is a Thursday."': [EXAMPLE],
  'A `task_id` is a UUID, or `test-` and digits.': [
    'test/data/contract/ids.ts: test- without digits',
    'test/data/contract/ids.ts: UUID a digit long',
    'test/data/contract/ids.ts: UUID in upper case',
  ],
  "With `-H 'Accept: text/event-stream'` you see the run as it happens.": [
    "test/engine/http/run-stream.test.ts: streams the provider's text as it arrives, and ends the upstream call when the caller hangs up",
  ],
  'Without one, an embedded offline model does arithmetic, units, times and dates.': [
    'test/offline-model/questions.test.ts: asks the tools',
    EXAMPLE,
  ],
  'For everything else, use any OpenAI-compatible endpoint': [
    'test/providers/providers.test.ts: two rounds of tools, $way',
  ],
  'All settings are in docs/configuration.md.': [
    'test/engine/config/config.test.ts: docs/configuration.md matches the schema: npm run docs',
  ],
  'The checks take the address of any agent, in any language.': [
    'test/scripts/build-rehearsal.test.ts: the built checks examine an agent by its URL, without node_modules',
    'test/rehearsal/checks/second-agent.test.ts: npm run staging:check starts it, and it passes: %s',
  ],
  'makes a folder of them that needs only Node, from 22.18': [
    'test/scripts/build-rehearsal.test.ts: the built checks examine an agent by its URL, without node_modules',
    'test/scripts/build-rehearsal.test.ts: the tasks that ship have patterns that Node 22 can read',
  ],
}
