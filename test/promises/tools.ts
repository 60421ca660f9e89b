import type { Proofs } from './promises-of.ts'

const CONTAINMENT = 'test/engine/tool-containment.test.ts'
const GUIDE = 'test/docs/tools-guide.test.ts'
const INJECTION = 'test/engine/injection.test.ts'
const SUPPLY = 'test/engine/tool-supply.test.ts'
const PASSAGES = 'test/tools/web-search/passages.test.ts'
const LANGCHAIN = 'test/habits/edits/tools.ts: export const langChainTools'
const EFFECTS = 'test/engine/effects/taken-over.test.ts'
const WRITTEN = `${CONTAINMENT}: arguments written as models write them: %s`
const REFUSED = `${CONTAINMENT}: a tool that cannot be offered: %s`
const CRASH = 'test/process/start.test.ts: a crash is one masked line, and a non-zero exit'

export const tools: Proofs = {
  'Nothing else has to change: the tool is offered to the model, counted, selectable in `config.enabled_tools`, and listed in LangGraph Studio.':
    [
      `${GUIDE}: the first tool works over HTTP, next to the others`,
      "test/studio/studio.test.ts: the schemas: messages in and out, and a run's settings as a form",
    ],
  '{"task_id":"test-1","status":"success","output":"42 characters, 10 words, 1 sentences", …}': [
    `${GUIDE}: the first tool works over HTTP, next to the others`,
  ],
  'Order 7 is on its way and arrives on 2027-03-01.': [
    `${GUIDE}: the second tool calls its service with its key, and reports what goes wrong`,
  ],
  'Without the key the agent still starts, but does not offer the tool, and its log says why': [
    `${GUIDE}: the first tool works over HTTP, next to the others`,
  ],

  'A client that holds connections open is closed when the service stops if the tool says how': [
    'test/engine/owned.test.ts: parts with Symbol.%s, and such a tool, are closed with the service, and a failure is one log line',
  ],
  "These rules apply whoever calls the tool: the tool-call node, LangGraph's `ToolNode`, a prebuilt agent, or your own node.":
    [
      `${INJECTION}: it holds for tools that a node calls itself`,
      `${CONTAINMENT}: a tool that is not enabled refuses even a caller that was never offered it`,
      'test/habits/edits/tools.ts: export const toolNode',
    ],
  '1 to 64 letters, digits, `_` and `-`; unique': [
    REFUSED,
    `${CONTAINMENT}: two tools with one name cannot be offered`,
  ],
  'An object, as Zod 4, Zod 3 or JSON Schema': [LANGCHAIN, REFUSED],
  'Arguments that do not match never reach the tool; the model reads what is wrong and how the call should look.':
    [
      `${CONTAINMENT}: arguments that do not fit never reach the tool`,
      'test/engine/nodes/tool-calls.test.ts: $title: the model reads what was wrong and what would be right, and answers',
    ],
  '`null` for a member that does not allow it counts as absent, a bare string where a list is expected becomes a list of one, a number in quotes a number':
    [WRITTEN],
  'text in place of an object becomes the one member that is required, if that is a text': [
    'test/engine/nodes/tool-call-shapes.test.ts: reads arguments sent $title for what they are',
  ],
  'It is called at start, with empty strings for unset variables, so it must only create the tool.': [
    `${SUPPLY}: a tool that no model would accept is refused, even if its secret is not set`,
  ],
  'The values are masked in every reply and log line': [
    `${CONTAINMENT}: a tool gets its own secrets, and no other tool does`,
    `${GUIDE}: the second tool calls its service with its key, and reports what goes wrong`,
  ],
  '20,000 by default.': [
    'test/engine/tools/default-time-limit.test.ts: a tool without a time limit has 20 s',
  ],
  'After that the signal aborts, and the model reads that the tool took too long': [
    `${CONTAINMENT}: reports a hanging tool at its time limit, and leaves it behind`,
  ],
  "the agent's prompt then asks for sources": [
    'test/engine/system-prompt.test.ts: what it says about tools fits the enabled ones',
  ],
  'three turns in a row with the same calls make the agent ask the model for its answer': [
    'test/engine/repeated-calls.test.ts: after the third repetition in a row the model is asked to answer, without tools',
    'test/engine/repeated-calls.test.ts: a tool that declares %j is called each time, however often',
  ],
  'past `ANSWER_BY_SEC` it may be called in one last turn if the caps allow it and as much time is left as has passed':
    [
      'test/engine/run/limits.test.ts: past ANSWER_BY_SEC tools that take no time run once more, where time and caps allow it',
    ],
  'Eight of one tool in a run; further ones wait': [
    'test/engine/repeated-calls.test.ts: at most eight calls of one tool run at once, and all get answers',
  ],
  "It aborts at the time limit, at the run's deadline, and when the caller hangs up.": [
    `${CONTAINMENT}: reports a hanging tool at its time limit, and leaves it behind`,
    'test/engine/run/deadline.test.ts: does not wait for a tool that ignores the signal; drops its late result',
    `${CONTAINMENT}: when the caller hangs up, the signal of its tool aborts`,
  ],
  'A tool that ignores it is abandoned and its result dropped': [
    'test/engine/run/deadline.test.ts: does not wait for a tool that ignores the signal; drops its late result',
  ],
  'A payment must not happen twice, whether its task is sent again, the model calls again or, with a Redis, the process crashes.':
    [
      `${GUIDE}: the third tool pays once for each call, and finds a payment by its key`,
      `${EFFECTS}: its lookup finds the result: the run goes on with it`,
    ],
  'If the bank breaks off, nobody knows whether it has paid.': [
    'test/engine/effects/after-paying.test.ts: it answers with %s, the run %s, and the task is sent again: it pays once',
  ],
  'A key for the call, from the second argument: at most 45 letters, digits, `-` and `_`.': [
    `${EFFECTS}: a failed task that is sent again makes no call again; a test is a new run, with new keys`,
  ],
  'The same call has the same key if another replica makes it, or if it is made again because its outcome was unknown; otherwise each call has another.':
    [
      `${EFFECTS}: its lookup finds nothing: it is called with the same key`,
      `${EFFECTS}: the same call twice in a run is two calls, also for the next replica`,
      `${EFFECTS}: a call of %s, whose outcome was unknown, has the same key if it is made again`,
    ],
  'It returns what the call with this key returned, or `undefined` if it did not happen and never will, and throws if it cannot tell.':
    [
      `${EFFECTS}: its lookup finds the result: the run goes on with it`,
      `${EFFECTS}: its lookup finds nothing: it is called with the same key`,
      `${EFFECTS}: its lookup fails, and works later: the task that is sent again goes on`,
      `${EFFECTS}: a lookup that hangs ends at the time limit of its tool`,
    ],
  'Asked when the same call is made again though nobody knows how it ended, and when a run goes on in which it began and did not end, at another replica or when the task is sent again':
    [
      'test/engine/effects/after-paying.test.ts: it answers with %s, the run %s, and the task is sent again: it pays once',
      `${EFFECTS}: its lookup fails, and works later: the task that is sent again goes on`,
    ],
  'A `ToolError` after which nobody knows whether the call had its effect, as when a connection breaks.': [
    `${EFFECTS}: the tool cannot tell the outcome: the same call is refused, and a failed run is remembered`,
  ],
  'Text, or a value that becomes JSON.': [
    "test/engine/nodes/tool-results.test.ts: a tool's result is JSON unless it is text: %j",
  ],
  'The model reads up to 20,000 characters, of a longer text the first 15,000 and the last 5,000: errors stand at the end.':
    ['test/engine/nodes/tool-calls.test.ts: an endless result is cut between characters, and says so'],
  "Also content blocks, a `ToolMessage`, a `Command`, and `[content, artifact]` with `responseFormat: 'content_and_artifact'`":
    [
      'test/engine/nodes/tool-results.test.ts: content blocks and a message of its own are passed on',
      'test/habits/edits/tools.ts: export const toolWithCommand',
      LANGCHAIN,
    ],
  'For failures that the model can act on: it reads the message verbatim': [
    `${CONTAINMENT}: a foreseen one logs nothing`,
  ],
  'The model only reads that it failed.': [`${CONTAINMENT}: contains a tool that throws %s`],
  'with message and stack under `npm run dev`, in Studio and with `LOG_ERRORS=full`, otherwise with class and location only':
    [
      'test/engine/log-errors.test.ts: LOG_ERRORS=full: messages and stacks of tools and of the graph, without secrets',
      'test/engine/log-errors.test.ts: LOG_ERRORS=brief: class and location, no words',
      'test/process/dev.test.ts: errors full mark 0',
    ],
  'A call of a tool that is not enabled for the run is refused, and the model reads so': [
    'test/engine/nodes/tool-calls.test.ts: a disabled tool does not run, even if the model calls it',
    `${CONTAINMENT}: a tool that is not enabled refuses even a caller that was never offered it`,
  ],

  'it does not run, the model reads why, and the log has a line `tool refused: the run has read the web` with its name':
    [`${INJECTION}: an order in %s triggers no tool with side effects`],
  'Before that, and in the same turn, it works as usual, since nothing from the web was known yet.': [
    `${INJECTION}: the tool may be called before the web is read, and together with the first search`,
  ],
  'In a thread of LangGraph Studio, earlier runs count too.': [
    `${INJECTION}: in a thread, earlier runs count too`,
  ],
  '`TOOLS_AFTER_WEB=order_status,notes__write` exempts these tools.': [
    `${INJECTION}: the operator may allow it for a tool`,
  ],

  'returns the passages that match the query, page by page, within `SEARCH_MAX_TOKENS`': [
    `${PASSAGES}: balances pages that have more, and no exhausted page holds them back, within %i tokens`,
  ],
  'With `read`, a number from such a list or an address from the task, it returns more of that page.': [
    `${PASSAGES}: more of a page: only what was not shown yet, and only pages of this run and task`,
  ],
  'Within a run no passage comes twice, neither from searches one after the other nor from those side by side':
    [
      `${PASSAGES}: more of a page: only what was not shown yet, and only pages of this run and task`,
      `${PASSAGES}: searches side by side read a page once, and share its passages between their results, in order`,
    ],
  "The sources are also in the run's events (`sources` of `tool_finished`).": [
    `${INJECTION}: the sources appear in the run’s events`,
  ],
  'Pages are read from public addresses, on `SEARCH_PORTS`': [
    'test/tools/web-search/refused-addresses.test.ts: http and https to %s open no connection',
    'test/tools/web-search/refused-addresses.test.ts: refuses port %i on any host',
  ],
  'No public page leads there.': [
    'test/tools/web-search/refused-addresses.test.ts: a page of the public web does not redirect to a host that the operator allows',
  ],

  'An error in work that the tool does not await, such as a promise without `await` or a callback, ends the process with the log line `crashed`.':
    [CRASH],
  'If a tool cannot be offered, for example because two share a name, the process does not start and says what is wrong.':
    [
      REFUSED,
      `${CONTAINMENT}: two tools with one name cannot be offered`,
      `${SUPPLY}: rejects.toThrow(SetupError)`,
    ],
  'returns `undefined` without it; then it is not offered': [
    `${SUPPLY}: a tool that is a function of the settings gets them; without a result it is not offered, and the log says so`,
  ],
}
