import type { Proofs } from './promises-of.ts'

const ORDER = 'test/engine/http/order-of-checks.test.ts: a request with every fault is told of them'
const LISTED =
  'test/engine/http/errors.test.ts: docs/errors.md lists every infrastructure answer with its status and text'
const BODIES = 'test/data/contract/bodies.ts'
const EDGE = 'test/data/contract/edge.ts'
const LIMITS = 'test/engine/run/limits.test.ts'
const CAPS = 'test/engine/run/token-caps.test.ts'
const ANSWERS = 'test/engine/nodes/answers.test.ts'
const RETRIES = 'test/engine/model/retries.test.ts'
const NODE = 'test/engine/own-graph.test.ts: a node that %s: what the caller reads, and the reason in the log'
const SHUTDOWN =
  'test/engine/http/contract-load.test.ts: a run ended by shutdown: 200, timeout, the text so far and its usage'
const HANG_UPS = 'test/faults/races.test.ts: callers hang up midway: their model calls end'
const INVALID =
  'test/engine/http/order-of-checks.test.ts: an invalid request is answered even if there is no room for a valid one'
const COMPLEX = [
  'test/engine/http/order-of-checks.test.ts: a setting of $what: $status',
  'test/engine/http/complex-bodies.test.ts: a setting of %s is refused with its name',
]

export const errors: Proofs = {
  run: ['test/engine/run/deadline.test.ts: the time limit of 1 s was reached', INVALID],
  'A run that failed or timed out gets status 200 and says so in `status`': [SHUTDOWN, INVALID],
  infrastructure: [LISTED],
  '4xx and 5xx mean infrastructure: the request never became a run.': [
    LISTED,
    'test/engine/http/contract.test.ts: row.seen ? [seenAs(row)] : []',
  ],
  'On `/run` both kinds have the shape of a run response: `task_id`, `status`, `output`, `metrics`, `error`.':
    [
      "test/engine/http/contract.test.ts: const RUN_MEMBERS = ['task_id', 'status', 'output', 'metrics', 'error']",
    ],
  'On every other path the body is `{"error": "..."}`': [
    'test/engine/http/contract.test.ts: : plainError',
    `${EDGE}: unknown path; use POST /run or GET /health`,
  ],
  '`/run` checks in this order: method and path, token, draining, media type, size, UTF-8, JSON, then, for a valid request, room for one more run.':
    [ORDER, INVALID],
  'The log line `refused` has the code as `reason`.': [ORDER],

  '`hang_up`': [
    'test/engine/http/refusals-log.test.ts: a caller that hangs up while sending a body %s causes one quiet line',
  ],
  'The connection ended before the whole body arrived, or the request took longer than 30 s.': [
    'test/engine/http/refusals-log.test.ts: a caller that hangs up while sending a body %s causes one quiet line',
    'test/soak/slow-requests.soak.ts: a caller that is still sending $what after $seconds s is cut off',
  ],
  'Nobody reads this reply': ['test/faults/peers.test.ts: connections that send their body a byte at a time'],
  '`not_utf8`': [ORDER, `${BODIES}: body that is not UTF-8: `],
  'A byte order mark is dropped': [`${BODIES}: body: a byte order mark`],
  '`not_json`': [ORDER, `${BODIES}: body that is not JSON: `],
  '`not_an_object`': [ORDER, `${BODIES}: body that is no object: `],
  '`too_complex`': [ORDER, ...COMPLEX],
  'A setting that the graph declares has more than 100 levels or 50,000 values; the detail names it': COMPLEX,
  '`unauthorized`': [ORDER, `${EDGE}: token: missing`],
  '`AGENT_TOKENS` is set and the request has none of them; with `WWW-Authenticate`': [
    `${EDGE}: 'www-authenticate': 'Bearer realm="agent"'`,
    `${EDGE}: token: the second`,
  ],
  '`not_found`': [ORDER, `${EDGE}: POST \${path}`],
  '`method_not_allowed`': [ORDER, `${EDGE}: { allow: 'POST' }`, `${EDGE}: allow: 'GET, HEAD'`],
  '`body_too_large`': [
    ORDER,
    `${BODIES}: body: too large for MAX_BODY_BYTES`,
    'test/faults/peers.test.ts: refuses a body over the limit, declared or chunked, without keeping it in memory',
  ],
  '`not_json_media_type`': [ORDER, `${BODIES}: no Content-Type`, `${BODIES}: Content-Encoding \${encoding}`],
  '`internal`': [
    'test/engine/http/contract-load.test.ts: an internal defect: 500 without details, in the run shape',
    NODE,
    'test/engine/log-errors.test.ts: LOG_ERRORS=brief: class and location, no words',
  ],
  '`full`': [
    'test/engine/http/connections.test.ts: one of too many to read from is refused unread',
    'test/process/descriptors.test.ts: descriptors, each of',
    ORDER,
    'test/engine/http/contract-load.test.ts: a queue: it fills up, then 503',
    'test/engine/http/body-room.test.ts: a body is refused if complete ones have the room, and a small one never',
  ],
  '`draining`': [
    ORDER,
    'test/engine/http/contract-load.test.ts: draining: refuses new tasks, health says so, and runs in flight finish',
    'test/process/drain.test.ts: SIGTERM with many runs in flight: each gets its reply, new ones are refused, exit 0',
  ],

  'A JSON object that is not a valid run request gets 200 with `status: "error"`': [INVALID],
  '`error` starts with `invalid request:` and says, for every wrong field, what was expected and what it got':
    ['test/data/contract/fields.ts: everything wrong at once is named at once'],
  'after ten it only says that there are more': [
    'test/data/contract/config.ts: enabled_tools: 10,000 unknown names, the first ten are shown',
  ],
  '`task_id` is echoed if it is a string': [
    "test/data/contract/ids.ts: ['huge', 'x'.repeat(100_000)",
    'test/data/contract/bodies.ts: a task_id of nearly 1 MiB is echoed whole',
  ],
  'The log line `run` has `stop: "invalid_request"` and the names of the fields, never their values.': [
    INVALID,
  ],

  '`metrics` of a failed run is empty, as the interface shows, unless `ERROR_METRICS=filled`; the log line always has the figures.':
    [
      'test/engine/tasks/run-task.test.ts: an error has no text, %s metrics, and no key that someone else quoted',
      'test/engine/run/metrics.test.ts: a run that fails midway: the log has its usage',
    ],
  '`answer`': [`${ANSWERS}: $title is an answer`],
  '`soft_deadline`': [`${LIMITS}: past ANSWER_BY_SEC no tool is offered and the model is told to answer now`],
  '`max_steps`': [
    `${LIMITS}: stops a model that keeps asking for tools within its steps; it answers with what it knows`,
    `${LIMITS}: without a step for an answer the run fails and names the limit`,
    'test/habits/edits/nodes.ts: export const endlessLoop',
  ],
  '`max_tokens`': [
    `${CAPS}: an answer cut by the cap is a success with the text so far`,
    `${CAPS}: with less left than two more turns like the last, the model must answer`,
    `${CAPS}: a cap used up before the first word is an error that names it`,
  ],
  '`max_total_tokens`': [
    `${CAPS}: MAX_TOTAL_TOKENS counts what has been read and generated so far`,
    `${CAPS}: a task longer than MAX_TOTAL_TOKENS is never sent`,
  ],
  '`max_cost`': [
    'test/engine/run/money.test.ts: the cap of a call shrinks with the money, and near the limit the model is asked to wrap up',
    'test/engine/run/money.test.ts: a limit too low for any call ends the run before it starts one',
  ],
  '`repeated_calls`': [
    'test/engine/repeated-calls.test.ts: after the third repetition in a row the model is asked to answer, without tools',
  ],
  '`deadline`': [
    'test/engine/run/deadline.test.ts: returns the text of earlier turns, kept apart, and nothing from a failed try',
    'test/engine/run/deadline.test.ts: returns the text so far, and counts it',
  ],
  '`shutdown`': [SHUTDOWN],
  'The agent was told to stop and could wait no longer; `output` has the text so far': [
    SHUTDOWN,
    'test/process/drain.test.ts: runs that outlive the grace period get their timeout reply before the process exits',
  ],
  'Every caller hung up, so the run was cancelled; nobody reads the reply': [
    HANG_UPS,
    'test/support/ledger-contract.ts: all callers hang up, the last one elsewhere: the model call ends',
  ],
  '`taken_over`': [
    "test/fleet/takeover.fleet.ts: of many waiting replicas one takes over; the previous owner's result is refused, and it gets the answer too",
    'test/engine/tasks/shared-tasks.test.ts: another replica took the task over: this one waits for its reply even when full',
  ],
  '`effect_unknown`': [
    'test/engine/effects/taken-over.test.ts: ends the run with an error that names it, now and when the task is sent again',
  ],
  'A call with side effects began, and nobody can say whether it happened: the replica was lost, the run ended meanwhile, or the call ended in a way that does not say.':
    [
      'test/engine/effects/taken-over.test.ts: ends the run with an error that names it, now and when the task is sent again',
      'test/engine/effects/taken-over.test.ts: the error names what had succeeded before',
    ],
  '`offline_model`': [
    'test/offline-model/offline-model.test.ts: needs a language model for everything else',
    'test/offline-model/offline-model.test.ts: needs the tools that the question calls for',
  ],
  '`tool_failed`': [
    'test/offline-model/offline-model.test.ts: %s is an error if all its tools failed, and is retried afresh each time',
    'test/offline-model/offline-model.test.ts: asks all questions at once and answers them in order, an error as an error',
  ],
  '`model_unavailable`': [
    `${RETRIES}: four tries of a broken server, and no more`,
    'test/engine/own-model.test.ts: cannot be reached',
  ],
  '`model_rejected`': [
    `${RETRIES}: HTTP $status with code $code does not pass: one try, then the other model`,
  ],
  '`refusal`': [`${ANSWERS}: stop: 'refusal'`],
  '`content_filter`': [`${ANSWERS}: stop: 'content_filter'`],
  '`empty_answer`': [`${ANSWERS}: stop: 'empty_answer'`, NODE],
  '`refused`': [NODE],
  '`invalid_context`': [
    'test/engine/graph-alone.test.ts: settings under configurable are an error that names context',
  ],
  '`not_over_http`': [
    'test/habits/edits/nodes.ts: export const interruption',
    'test/engine/tool-containment.test.ts: one that calls interrupt() ends the run, with an error that names it',
  ],
}
