import type { Proofs } from './promises-of.ts'

const image = 'test/container/image.try.ts'
const container = 'test/container/run.try.ts'
const build = 'test/scripts/build.test.ts'
const kubernetes = 'test/deploy/kubernetes.test.ts'
const compose = 'test/deploy/compose.test.ts'
const drain = 'test/process/drain.test.ts'
const permissions = 'test/process/permissions.test.ts'
const start = 'test/process/start.test.ts'
const edge = 'test/data/contract/edge.ts'
const shared = 'test/engine/tasks/shared-tasks.test.ts'
const ledgers = 'test/support/ledger-contract.ts'
const redisFaults = 'test/engine/fleet/redis-faults.test.ts'
const access = 'test/fleet/access.fleet.ts'
const badDays = 'test/fleet/bad-days.fleet.ts'
const losses = 'test/fleet/losses.fleet.ts'
const load = 'test/fleet/load.fleet.ts'
const effects = 'test/engine/effects/taken-over.test.ts'
const otherAgents = 'test/engine/effects/other-agents.test.ts'
const afterPaying = 'test/engine/effects/after-paying.test.ts'
const effectsSoak = 'test/soak/effects.soak.ts'
const takeover = 'test/fleet/takeover.fleet.ts'
const balancer = 'test/fleet/balancer.fleet.ts'

const noSecretsOrTexts = [
  "test/faults/races.test.ts: runs at once: no run's text in another's reply, and none in a log line",
  'test/faults/secrets.test.ts: $vendor: in no reply and no log line, whoever repeats it',
  'test/properties/mask.test.ts: a log line is one JSON object without the secret, and without anything that looks like a key',
]
const writesNothing = [
  `${container}: may read its own folder, write nowhere and start nothing`,
  `${container}: nobody can write to the root`,
  `${permissions}: restricted as in the image, it reads its own folder, writes nothing, starts no programs or threads, and still works`,
]
const losesNoRun = [
  `${drain}: SIGTERM with many runs in flight: each gets its reply, new ones are refused, exit 0`,
  `${container}: the health check fails while it drains and when it is down; no run in flight is lost`,
]
const keepsToItself = [
  'test/engine/http/contract-replay.test.ts: a request with %s is a separate run, in flight and after',
  `${badDays}: all replicas cut off from their replies`,
]
const sizes = [
  `${load}: a task with an answer of 2 kB takes what docs/deployment.md says`,
  `${load}: a task that still runs takes at most 0.5 kB`,
]
const memoryOfRuns = ['test/soak/floods.soak.ts: 500 tasks at once, each with a tool call: all are answered']
const claimsTwice = [
  `${redisFaults}: an operation has 100 ms; after 0.2 s of failures only a probe a second is sent, until one is answered`,
  `${redisFaults}: the first claim is lost: it is made once more, with the same token, before the task runs alone`,
]

export const deployment: Proofs = {
  // The facts about the image.
  Content: [
    `${image}: the bundle with its source maps, and nothing else beyond its base`,
    `${image}: at most 15 MB more than its base, 300 MB in all`,
    `${image}: expect(label('base.name')).toBe('docker.io/library/node:24-slim')`,
  ],
  Process: [
    `${image}: a user that Kubernetes recognises as non-root, the interface's port, no shell to start`,
    ...writesNothing,
  ],
  Port: [
    `${image}: expect(Object.keys(config.ExposedPorts)).toEqual(['8080/tcp'])`,
    'test/engine/config/config.test.ts: the port is not a setting',
    'test/process/start.test.ts: listens on every address, of IPv6 and of IPv4',
  ],
  Health: [
    `${container}: the health check fails while it drains and when it is down; no run in flight is lost`,
    'test/engine/http/contract-load.test.ts: draining: refuses new tasks, health says so, and runs in flight finish',
  ],
  "`GET /health`: 200 while it accepts tasks, 503 while it drains; the image's `HEALTHCHECK` calls it every 30 s":
    [
      'test/engine/http/contract-load.test.ts: draining: refuses new tasks, health says so, and runs in flight finish',
      `${image}: the interface's health check, without a shell`,
    ],
  Balancer: ['test/faults/peers.test.ts: a request of HTTP/$version with the hosts $hosts gets $status'],
  Shutdown: [`${drain}: SIGTERM with many runs in flight: each gets its reply, new ones are refused, exit 0`],
  Log: [
    ...noSecretsOrTexts,
    'test/engine/log-errors.test.ts: LOG_ERRORS=full: messages and stacks of tools and of the graph, without secrets',
    'test/engine/log-errors.test.ts: LOG_ERRORS=brief: class and location, no words',
  ],

  // A reviewer's ten questions.
  'What is inside?': [
    `${build}: lists every bundled package in the notices and in the bill of materials`,
    `${build}: writes a CycloneDX bill of materials that names Node, the commit and its time`,
    `${image}: the base's Node, unchanged`,
  ],
  'Under which licence?': [
    `${build}: lists every bundled package in the notices and in the bill of materials`,
    `${build}: fails on a package under another licence, with its name`,
  ],
  'From which commit?': [
    `${image}: its origin`,
    `${build}: says where it comes from: the commit, its time, and the digests it was built with`,
  ],
  'Who may call it?': [
    `${edge}: token: missing`,
    `${edge}: token: to an open service`,
    `${edge}: GET /health without the token`,
    `${start}: an open service warns once, and names a misspelt variable with the right one, never with its value`,
  ],
  'Where are secrets?': [
    `${image}: no secret that the build received by mistake`,
    `${kubernetes}: it gets settings that the service reads, and secrets only by reference`,
    'test/engine/config/config.test.ts: each value arrives where it belongs, trimmed, and secrets are known as such',
  ],
  'What is logged?': noSecretsOrTexts,
  'What may it reach?': [
    `${kubernetes}: it may reach DNS, the web's ports and a labelled Redis, and not the cloud's metadata`,
    'test/tools/web-search/refused-addresses.test.ts: http and https to %s open no connection',
    'test/engine/model/provider-trust.test.ts: the key goes to the provider as a bearer token, and to nobody else',
  ],
  'What may it write?': writesNothing,
  'How does it shut down?': losesNoRun,
  'Where do I report problems?': ['test/docs/paths.test.ts: %s links only to existing targets'],

  // What is inside.
  'With the same base, the same commit gives the same layer, byte for byte': [
    `${image}: the same commit builds the same bytes twice`,
  ],

  // What it may do.
  'no threads, no other files, no writing, no addons, no other programs': writesNothing,
  'Without `/bin/sh` in the image, `web_search` returns snippets only.': [
    `${permissions}: restricted, it says once that pages can no longer be read, and still searches`,
  ],
  'the process restarts itself, under the same process id, with permission to read that file.': [
    `${permissions}: MCP servers at an address: their file may be anywhere, and nothing more is allowed`,
  ],
  'If there is one, the process restarts itself without the permission model, and the first line of the log is a warning that says so.':
    [`${permissions}: MCP servers that are programs lift the restrictions, and the log says so`],

  // What to set.
  "Pass them as the container's environment, never as build arguments.": [
    `${image}: no secret that the build received by mistake`,
  ],
  'If a setting is wrong, the process prints a line for each problem and exits with code 1.': [
    `${start}: reports everything wrong with the environment at once, and exits with code 1`,
  ],

  // One machine and many.
  'restarts it after a crash, keeps its root read-only, drops every capability, limits its memory, and gives it 130 s to shut down.':
    [
      `${compose}: a locked-down container that comes back after a crash: nothing writable, no capabilities, no new privileges, bounded memory`,
      `${compose}: the stop grace outlasts the drain, which outlasts a run`,
    ],
  'meets the restricted pod security standard': [
    `${kubernetes}: the pod meets the restricted pod security standard, and more`,
  ],
  'an autoscaler (2 to 10), a disruption budget (one at a time) and a network policy.': [
    `${kubernetes}: the autoscaler has 2 to 10 replicas, of which one at a time may be taken down`,
    `${kubernetes}: it may reach DNS, the web's ports and a labelled Redis, and not the cloud's metadata`,
  ],
  'each replica joins and replays only its own tasks': keepsToItself,
  'tasks that wait here for another replica count as load, since they may have to run here.': [
    `${shared}: tasks that wait for another replica count as load: more than may run or queue are refused`,
  ],
  'A full replica answers 503 with `Retry-After: 1` and stays healthy.': [
    'test/engine/http/contract-load.test.ts: full: 503 at once, health stays ok, and there is room again afterwards',
  ],

  // A fleet.
  '`test-<n>` ids are never shared.': [
    `${redisFaults}: a task with an id test-<n> is not shared, however often it comes`,
    'test/engine/http/contract-replay.test.ts: the same test-<n> id',
  ],
  'An answer of an agent that differs in these, such as a later version, is not replayed: the task runs anew, and makes none of the payments again that the other one has made.':
    [
      `${otherAgents}: an answer is replayed to an agent with the same prompt, models and tools, and to no other`,
      `${otherAgents}: an agent with another prompt finds the payments of a task, whether that succeeded or is still running`,
    ],
  'A run is cancelled when its last caller, at any replica, hangs up.': [
    `${ledgers}: all callers hang up, the last one elsewhere: the model call ends`,
    `${takeover}: callers of a lost replica do not count: the run ends when only they are left`,
  ],
  'A lost replica (killed, suspended, cut off) keeps its tasks for 4 s.': [
    `${losses}: 50 runs at the point "%s" whose replica is killed`,
    `${losses}: 50 runs at the point "%s" whose replica is suspended`,
    `${badDays}: all replicas cut off from their replies`,
  ],
  'If the lost replica returns with a result, it is refused, and its callers get the new one.': [
    `${takeover}: of many waiting replicas one takes over; the previous owner's result is refused, and it gets the answer too`,
  ],
  'A task that was running when two replicas were lost ends with `error`.': [
    `${takeover}: gives up a task once it was running at two replicas that were lost`,
  ],
  "Only losses that may be the task's fault count: its run had begun, and the replica had been answering other tasks for 10 s.":
    [
      `${takeover}: losses of replicas that only claimed the task, or had not served others for 10 s, do not count`,
    ],
  "What a lost replica's tools had done is not done again": [
    `${effects}: the same calls get the same results`,
    `${takeover}: a replica is lost: the next one knows what the run did, and so does one later, until it ends`,
  ],
  'makes no call again that had ended': [
    `${effects}: the same calls get the same results`,
    `${effects}: in another order, and with the members of the arguments in another order`,
    `${effects}: a failure that the tool itself told is told again`,
    `${effectsSoak}: a run of eight calls, three with side effects, and one %s at one of %i moments`,
  ],
  'This holds for 24 hours after a run without success.': [
    `${effects}: a failed task that is sent again makes no call again; a test is a new run, with new keys`,
    `${effects}: the loss is noticed only after an hour: nothing is done again`,
    `${takeover}: a run that failed is remembered for a day with what it has done, and a success as long as it is replayed`,
  ],
  'Else the run ends with an error that names tool, key and time, and the calls that had succeeded before': [
    `${effects}: ends the run with an error that names it, now and when the task is sent again`,
    `${effects}: its lookup finds the result: the run goes on with it`,
    `${effects}: the error names what had succeeded before`,
  ],
  'ends with an error that names tool, key and time': [
    `${effects}: ends the run with an error that names it, now and when the task is sent again`,
  ],
  'Sent again, the task gets the same error for 24 hours, and is not run, unless a lookup then succeeds.': [
    `${effects}: ends the run with an error that names it, now and when the task is sent again`,
    `${effects}: its lookup fails, and works later: the task that is sent again goes on`,
    `${takeover}: a run that failed is remembered for a day with what it has done, and a success as long as it is replayed`,
  ],
  'The key of a call is the same at each replica.': [
    `${effects}: its lookup finds nothing: it is called with the same key`,
    `${effects}: %s is called again, with the same key`,
  ],
  'A run that is cancelled because its callers hung up has no reply yet: sent again within 24 hours, the task makes none of its calls again.':
    [`${effects}: all callers hang up: when the task is sent again, it makes no call again`],
  'While Redis is unavailable, such a tool of a shared task is refused, and the model reads why.': [
    `${effects}: a tool that says it has side effects is refused, and one line says so`,
  ],
  'A tool of an MCP server that says nothing about side effects runs, unrecorded, with one warning.': [
    `${effects}: one whose server says nothing runs, with one warning`,
  ],
  'If a tool that declares its side effects ends in a way that tells nobody whether it had them (a broken connection, HTTP 500, a time limit; of an MCP server any JSON-RPC error but `-32700`, `-32600`, `-32601` and `-32602`), the model reads so.':
    [
      `${otherAgents}: a success with an unknown outcome says so in a header, also when it is replayed elsewhere, and in an event`,
      'test/engine/mcp/outcomes.test.ts: an MCP server that pays and answers %i: it is %s',
    ],
  "And not on this: without Redis, a process that is killed takes its record with it, and one that has more than 32 MB of failed tasks' effects forgets the oldest, with a line in the log.":
    [
      'test/engine/effects/equal-calls.test.ts: the effects of too many failed tasks: a line says which one is forgotten',
    ],
  'The same call in the same run is looked up, or refused': [
    `${afterPaying}: it answers with %s, the run %s, and the task is sent again: it pays once`,
  ],
  'A model that words a call otherwise after a takeover reads once what was done before, and is believed if it then calls again.':
    [`${effects}: a model that words the call otherwise reads once what was done, and may then go on`],
  '`EFFECT_JOURNAL=off` keeps no results in Redis and refuses nothing while that is away; a task whose tool with side effects had started then ends with `error` when it is taken over, unless a `lookup` finds each call, and one that has failed runs anew.':
    [`${effects}: EFFECT_JOURNAL=off: a run with effects that is taken over ends, even if they had ended`],
  'After SIGTERM a replica finishes its runs and answers its callers.': [
    `${access}: SIGTERM: finishes its runs, answers callers that it holds, and gives back the rest`,
  ],
  'so callers do not even notice.': [
    `${balancer}: one replica is killed mid-run, another is told to stop: no caller behind the balancer notices`,
  ],
  'When one replica is enough.': [
    ...memoryOfRuns,
    `${ledgers}: sent twice while it runs: one run, exactly the same reply`,
    ...keepsToItself,
  ],
  'When Redis is down': [
    `${badDays}: Redis %s: every run gets its reply in time`,
    `${redisFaults}: Redis %s: the task is done, whatever was asked`,
  ],
  'An operation may take 100 ms; after 0.2 s of failures, none is attempted until Redis answers a probe, sent once a second.':
    [
      `${redisFaults}: an operation has 100 ms; after 0.2 s of failures only a probe a second is sent, until one is answered`,
    ],
  'The log has one `warn` for each change and each new reason (`ECONNREFUSED`, `WRONGPASS`, `NOPERM`, `OOM`, `READONLY`, `TIMEOUT`), at most one per state in 10 s, and the metric `agent.fleet.shared` is 0 meanwhile.':
    [
      `${redisFaults}: after a change of the password the log says WRONGPASS, not only that the connection closed`,
      `${redisFaults}: a connection that is lost all the time: each state at most once in 10 s, with a count`,
      `${redisFaults}: Redis $state: the metric agent.fleet.shared is $metric`,
      `${access}: a connection that is killed every 100 ms is a few lines in 11 s`,
    ],
  '`/health` never uses Redis.': [`${redisFaults}: GET /health asks Redis nothing`],
  'During that time the same task at two replicas is two runs, perhaps with different answers, and a caller waiting for another replica runs the task itself after 4 s.':
    [
      `${redisFaults}: Redis is lost while callers wait for another replica: they get replies when its lease is over`,
      `${badDays}: Redis %s: every run gets its reply in time`,
    ],
  'Start-up does not need Redis either.': [
    `${access}: a wrong password: starts, runs its tasks alone, and says why in a word`,
  ],
  'How quick Redis must be.': claimsTwice,
  'How quick Redis must be. Within 100 ms, always; in the same zone it takes 1 ms.': [
    ...claimsTwice,
    `${load}: a Redis that answers after 60 ms: most pairs are one run`,
  ],
  'Whoever claims a task waits up to 100 ms, and asks a second time before running the task alone, which may be a second run of it.':
    claimsTwice,
  'That is never silent: the metric `agent.fleet.tasks` counts it as `run_alone`, and the log has a line at most every 10 s.':
    [
      `${redisFaults}: tasks run alone although Redis is there: one line, then one every 10 s with how many`,
      `${redisFaults}: metrics count what happens to shared tasks, and how long Redis takes`,
    ],
  'What may be in Redis.': [
    `${redisFaults}: a claim gets a malformed answer: the task is done, also when its caller leaves first`,
    `${redisFaults}: %s gets a malformed answer: the task is done`,
  ],
  'What is lost when Redis loses its data': [
    `${takeover}: Redis forgets a run in flight: it is announced again, with its effects`,
    `${badDays}: FLUSHALL`,
  ],
  'A failover behind a single address is detected': [
    `${badDays}: Redis fails over to one that lacks the last writes: every run gets its reply in time`,
  ],
  'How it must keep its data': [
    `${compose}: the fleet's Redis forgets no side effect: it keeps its data on disk, and refuses what is too much`,
  ],
  'a Redis that is killed and starts again on the same disk has all of it': [
    `${takeover}: a Redis as in compose.fleet.yaml is killed: started again, it has what was recorded`,
  ],
  'When Redis is full': [`${badDays}: maxmemory reached`],
  'What it has recorded stays, and no further call with side effects begins.': [
    `${takeover}: a Redis as in compose.fleet.yaml is full: what it has recorded stays, and no further call begins`,
  ],
  'How large.': sizes,
  'How large. A task with an answer of 2 kB takes 3.2 kB (measured by `test/fleet/load.fleet.ts`), one that still runs at most 0.5 kB.':
    sizes,
  'A call with side effects takes up to 64 kB as long as its task is kept: a longer result is recorded as done, without its text.':
    [`${effects}: a result over 64 kB is not kept, and the model reads that the call succeeded`],
  'It is kept for the duration of its run and then for `REPLAY_TTL_SEC` (a success), 5 s (anything else that someone waits for) or 24 hours (one that has had side effects and no success).':
    [
      `${takeover}: a run that failed is remembered for a day with what it has done, and a success as long as it is replayed`,
      `${load}: expect(Math.max(...lives)).toBeLessThanOrEqual(60_000)`,
      `${takeover}: an error is kept for 5 s if someone waits for it, and otherwise not at all`,
    ],
  '100 tasks a second with answers of 2 kB, kept for 300 s, take 96 MB.': sizes,
  'Each run makes three calls to Redis, and one per second while it lasts': [
    `${load}: expect(calls).toBeLessThan(3.5)`,
  ],
  'Access.': [
    `${access}: a user with the documented rights shares tasks; its password is in no log line and nowhere in Redis`,
    `${access}: TLS: refuses an untrusted certificate, accepts a trusted one`,
  ],
  'It holds task ids, digests of requests, texts of answers, and what tools with side effects returned, all masked like replies; never a request, a token or an API key.':
    [
      `${redisFaults}: Redis gets ids, digests and masked answers: no request, token or key`,
      `${access}: expect(JSON.stringify(contents)).not.toContain(task.input)`,
    ],

  // Ending, and changing a token.
  "`RUN_TIMEOUT_SEC` (110) < `SHUTDOWN_GRACE_SEC` (115) < the runtime's grace (compose: 130 s; Kubernetes: 135 s)":
    [
      `${compose}: the stop grace outlasts the drain, which outlasts a run`,
      `${kubernetes}: its grace period outlasts the drain, which outlasts a run`,
    ],
  'the remaining runs end with `timeout`; then connections are closed.': [
    `${drain}: runs that outlive the grace period get their timeout reply before the process exits`,
  ],
  '`AGENT_TOKENS` accepts several tokens': [`${edge}: token: the first`, `${edge}: token: the second`],

  // Memory. The table is a benchmark's; the test bounds what it measured.
  '0': [
    `${container}: starts in time, and rests at twice the memory of a bare server and what first tasks need`,
  ],
  '125': memoryOfRuns,
  '250': memoryOfRuns,
  '500': memoryOfRuns,
  "Bodies over 16 kB that arrive or whose runs are in progress take at most a sixth of Node's heap together (50 MB in a container of 512 MB); a further one gets 503.":
    [
      'test/process/large-bodies.test.ts: hundreds of large bodies leave memory and room for a small task: $name',
      'test/engine/http/body-room.test.ts: a body is refused if complete ones have the room, and a small one never',
    ],
  'Replays take at most 32 MB, and replies that wait for slow readers at most 64 MB.': [
    'test/engine/tasks/memory-ledger.test.ts: keeps replays of 32 MB at most: $name',
    'test/engine/http/slow-readers.test.ts: replies that nobody reads are given up, the oldest first; other callers are served',
  ],
  'Web pages are read in a process of their own: up to 140 MB while searches go on, 160 MB for the longest pages, at most 100 MB more for a hostile page, nothing after an idle minute.':
    [
      'test/tools/web-search/hostile-pages.test.ts: the longest honest pages take what docs/deployment.md says',
      'test/tools/web-search/hostile-pages.test.ts: without 100 MB more than an honest page, and the next is read',
      'test/tools/web-search/reader-start.test.ts: a reader that is idle for a minute ends, and leaves no process; the next page has another',
    ],
}
