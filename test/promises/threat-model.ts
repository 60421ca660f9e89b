import type { Proofs } from './promises-of.ts'

const auth =
  'test/engine/http/auth.test.ts: takes constant time: compares digests of equal length with every token, even after a match: $name'
const anyObject =
  'test/properties/contract.test.ts: any object: 200, the shape of a run response, and success exactly if the request is valid'
const slowHeaders =
  'test/faults/peers.test.ts: connections that send their headers a byte at a time; health checks go on'
const limitsOfPeers =
  'test/soak/slow-requests.soak.ts: a caller that is still sending $what after $seconds s is cut off'
const pipelines =
  'test/engine/http/connections.test.ts: a connection that pipelines 300 tasks has a few of them parsed at a time, and each answered in order'
const floods = "test/soak/floods.soak.ts: $flood, pipelined: others' runs and health checks are answered"
const thousand =
  'test/engine/tasks/shared-tasks.test.ts: a run takes a thousand callers; one more is refused, and takes the place of no other run'
const breaker = 'test/engine/model/breaker.test.ts'
const learnt = 'test/engine/model/learnt.test.ts'
const separate =
  'test/engine/http/contract-replay.test.ts: a request with %s is a separate run, in flight and after'
const interleaved =
  'test/properties/tasks.test.ts: any interleaving of joins, hang-ups and ends: one run for equal tasks, none abandoned, no slot lost'
const deadline =
  'test/engine/run/run-controller.test.ts: a run ends at its limit, counted from the arrival of its request'
const limits = 'test/engine/run/limits.test.ts'
const atOnce = 'test/engine/nodes/calls-at-once.test.ts'
const disabled =
  'test/engine/nodes/tool-calls.test.ts: a disabled tool does not run, even if the model calls it'
const addresses = 'test/tools/web-search/refused-addresses.test.ts'
const reader = 'test/tools/web-search/reader.test.ts'
const runaways = `${reader}: a run whose pages run away twice reads no more; others go first meanwhile, and go on`
const hostile =
  'test/tools/web-search/hostile-pages.test.ts: without 100 MB more than an honest page, and the next is read'
const endless = 'test/tools/web-search/endless-replies.test.ts'
const lies = 'test/engine/mcp/lies.test.ts'
const life = 'test/engine/mcp/life.test.ts'
const mcpFloods = [
  'test/engine/mcp/floods.test.ts: a program that writes %s without end loses its connection',
  'test/engine/mcp/floods.test.ts: a server that sends $kind $where without end loses its connection',
  'test/soak/mcp-floods.soak.ts: $kind: runs and health checks are answered',
]
const ofProgram = `${lies}: a program gets what mcp.json gives it and a safe minimum, nothing else of the agent's environment`
const provider = 'test/engine/model/provider-trust.test.ts'
const contained = 'test/engine/tool-containment.test.ts'
const ownSecrets = `${contained}: a tool gets its own secrets, and no other tool does`
const redisFaults = 'test/engine/fleet/redis-faults.test.ts'
const access =
  'test/fleet/access.fleet.ts: a user with the documented rights shares tasks; its password is in no log line and nowhere in Redis'
const keptShort =
  'test/fleet/takeover.fleet.ts: an error is kept for 5 s if someone waits for it, and otherwise not at all'
const noSecrets = 'test/faults/secrets.test.ts: $vendor: in no reply and no log line, whoever repeats it'
const noTexts =
  "test/faults/races.test.ts: runs at once: no run's text in another's reply, and none in a log line"
const noContent = 'test/engine/telemetry/content.test.ts: exports no content unless asked to'
const config = 'test/engine/config/config.test.ts'
const restricted =
  'test/process/permissions.test.ts: restricted as in the image, it reads its own folder, writes nothing, starts no programs or threads, and still works'
const full =
  'test/engine/http/contract-load.test.ts: full: 503 at once, health stays ok, and there is room again afterwards'
const overload =
  'test/soak/overload.soak.ts: ten times its capacity for 15 s: refusals are fast, accepted tasks get replies, then all is well'
const framed =
  'test/tools/web-search.test.ts: cannot be forged: every line of a result is numbered or indented'
const injection = 'test/engine/injection.test.ts: an order in %s triggers no tool with side effects'

/** What prevents each threat, by the row's words for what could go wrong. */
const rows = {
  'They run tasks at your cost, or guess tokens': [
    auth,
    'test/data/contract/edge.ts: token: missing',
    'test/data/contract/edge.ts: wrongTokens.map',
  ],
  'Malformed, huge or slow requests stop or block it': [
    anyObject,
    slowHeaders,
    'test/faults/peers.test.ts: connections that send their body a byte at a time; health checks go on',
    'test/faults/peers.test.ts: refuses a body over the limit, declared or chunked, without keeping it in memory',
    'test/data/contract/bodies.ts: body: too large by its Content-Length',
    limitsOfPeers,
  ],
  'One connection sends requests faster than they are answered, or many callers wait for one run': [
    'test/engine/http/connections.test.ts: a caller without a token is refused at once, however many tasks wait for their turn',
    pipelines,
    thousand,
    floods,
  ],
  "One caller's tasks make a model fail, and others lose it": [
    `${breaker}: $title, met by three tasks, changes nothing for the next`,
    `${learnt}: what a refusal may have quoted from the task stays in its run, even if a later call succeeds`,
  ],
  'Many large bodies, or callers who do not read their replies, fill the memory': [
    'test/process/large-bodies.test.ts: hundreds of large bodies leave memory and room for a small task: $name',
    'test/engine/http/slow-readers.test.ts: a caller who does not read misses text, not the reply; the ids show the gap',
    'test/engine/http/slow-readers.test.ts: callers who share a run share the bytes of its reply',
    'test/engine/http/slow-readers.test.ts: replies that nobody reads are given up, the oldest first; other callers are served',
    'test/engine/tasks/memory-ledger.test.ts: keeps replays of 32 MB at most: $name',
    'test/engine/run/tokens.test.ts: a long text takes hardly more than the longest that is counted whole, with spaces or without',
  ],
  'They send more tasks than it can do': [
    full,
    'test/engine/http/contract-load.test.ts: a queue: it fills up, then 503',
    overload,
  ],
  'It sends a task twice and pays twice': [
    'test/engine/http/contract-replay.test.ts: the log says who joined and who got a replay',
    interleaved,
  ],
  'It hangs up or forgets a task, and the run goes on and costs': [
    deadline,
    'test/faults/races.test.ts: callers hang up midway: their model calls end, the next run is unaffected',
  ],
  'A run has no end, in steps, tokens or time': [
    `${limits}: stops a model that keeps asking for tools within its steps; it answers with what it knows`,
    `${limits}: of 200 tool calls in one turn, runs as many as the steps allow; each has a result`,
    `${atOnce}: calls that begin together stay within the steps`,
    `${atOnce}: calls that begin together share what is left of a cap`,
  ],
  'An expression or a date never finishes': [
    'test/tools/calculator.test.ts: takes less than 50 ms of processor time each',
    'test/tools/time.test.ts: no text keeps the processor busy',
    "test/tools/time.test.ts: [convert('1'.repeat(101)), 'too long (at most 100)']",
  ],
  'The task talks the model into using tools against you': [disabled],
  'A page or an address leads into your own network': [
    `${addresses}: http and https to %s open no connection`,
    `${addresses}: the name %s, of %j, opens no connection`,
    `${addresses}: a redirect to %s opens no connection`,
    `${addresses}: a page of the public web does not redirect to a host that the operator allows`,
    'test/tools/web-search/proxy.test.ts: with a proxy, engines and pages are reached through it, except the private hosts',
    'test/tools/web-search/proxy.test.ts: variables of the environment send nothing to a proxy',
  ],
  'A hostile page takes time or memory': [
    runaways,
    `${reader}: a reader that hangs is ended, and the next page is read`,
    hostile,
  ],
  'A server sends replies that never end': [
    `${endless}: %s: gives up by itself, soon`,
    `${endless}: a page behind $interim interim replies is $text`,
    'test/tools/web-search/page-limits.test.ts: a page that does not end has 4 s',
  ],
  'A page takes over what reads it': [
    `${reader}: the reader may read its code and nothing else, write nothing, start nothing, and open no socket`,
    'test/process/permissions.test.ts: restricted, it reads pages in a process of its own, and in a new one after that was killed',
  ],
  'A page gives the model instructions': [
    framed,
    injection,
    'test/engine/injection.test.ts: it holds for tools that a node calls itself',
  ],
  'One hangs, lies, floods or dies': [
    `${lies}: refuses a tool with %s, and no other`,
    `${lies}: a result of 11 MB fails the call; the server is available afterwards`,
    `${lies}: offers a hundred of thousands of tools, and no other server loses one to them`,
    `${life}: does not offer a server's tools while it is down`,
    `${life}: a slow program does not delay the start, and is offered when it is ready`,
    ...mcpFloods,
  ],
  'A server that is a program reads or takes what the agent has': [ofProgram],
  'It echoes keys, or sends nonsense, endless or hanging replies': [
    `${provider}: the key goes to the provider as a bearer token, and to nobody else`,
    `${provider}: cuts off an endless text without a space too; none of it is in the reply`,
    'test/engine/nodes/answers.test.ts: $title is not a reply: the model is called again',
    'test/engine/model/model-replies.test.ts: does not unpack a small reply that would fill the memory, and does not retry it',
    'test/engine/model/model-replies.test.ts: a reply of $mib MiB ends in $status',
    noSecrets,
  ],
  "One hangs, throws secrets, floods, or takes another's key": [
    `${contained}: reports a hanging tool at its time limit, and leaves it behind`,
    `${contained}: contains a tool that throws %s`,
    `${contained}: a long one is cut as a result is`,
    ownSecrets,
    'test/engine/nodes/tool-calls.test.ts: an endless result is cut between characters, and says so',
  ],
  'It is down, slow, full or empty': [
    'test/fleet/bad-days.fleet.ts: Redis %s: every run gets its reply in time',
    `${redisFaults}: Redis %s: the task is done, whatever was asked`,
    `${redisFaults}: an operation has 100 ms; after 0.2 s of failures only a probe a second is sent, until one is answered`,
  ],
  'Anyone who reaches it reads answers or plants false ones': [
    access,
    keptShort,
    `${redisFaults}: a claim gets a malformed answer: the task is done, also when its caller leaves first`,
    `${redisFaults}: Redis gets ids, digests and masked answers: no request, token or key`,
  ],
  "A line, a span or a reply contains a secret or a task's text": [
    'test/properties/mask.test.ts: a log line is one JSON object without the secret, and without anything that looks like a key',
    'test/properties/mask.test.ts: masks a secret in pieces as a whole, even if it begins with another, contains it, or overlaps it',
    noSecrets,
    'test/engine/masked-by-guess.test.ts: what looks secret in the environment is in no reply, event, log line or trace',
    noTexts,
    noContent,
  ],
  'A typo leaves the service open, or a key lands in the wrong place': [
    `${config}: refuses %s=%j, and shows no secret`,
    `${config}: ['AGENT_TOKENS', ' , ', 'expected a token between the commas, got none']`,
    `${config}: %s for the secret %s: refused, without its value`,
    'test/process/start.test.ts: an open service warns once, and names a misspelt variable with the right one, never with its value',
    'test/process/start.test.ts: reports everything wrong with the environment at once, and exits with code 1',
  ],
  'An attacker who controls the process goes on from there': [
    'test/container/run.try.ts: may read its own folder, write nowhere and start nothing',
    restricted,
    'test/deploy/compose.test.ts: a locked-down container that comes back after a crash: nothing writable, no capabilities, no new privileges, bounded memory',
    'test/deploy/kubernetes.test.ts: the pod meets the restricted pod security standard, and more',
  ],
  'A package was changed, or is not what it claims to be': [
    'test/deploy/supply.test.ts: every package is locked with its digest',
    'test/deploy/supply.test.ts: every dependency has an exact version',
    'test/deploy/supply.test.ts: the image installs what is locked, and runs no install scripts',
  ],
  'A licence or a secret gets in unseen': [
    'test/scripts/build.test.ts: fails on a package under another licence, with its name',
    'test/container/image.try.ts: the bundle with its source maps, and nothing else beyond its base',
    'test/container/image.try.ts: no secret that the build received by mistake',
  ],
  'The image is not built from the commit that it names': [
    'test/container/image.try.ts: the same commit builds the same bytes twice',
    'test/container/image.try.ts: its origin',
  ],
} satisfies Proofs

/** Of several rows together. */
const of = (...threats: (keyof typeof rows)[]) => threats.flatMap(threat => rows[threat])

export const threatModel: Proofs = {
  ...rows,

  // Those whom the rows are about, with what is said of each first.
  Callers: of('They run tasks at your cost, or guess tokens'),
  Orchestrator: of('It sends a task twice and pays twice'),
  'Task text': of('A run has no end, in steps, tokens or time'),
  Web: of('A page or an address leads into your own network'),
  'MCP servers': of('One hangs, lies, floods or dies'),
  'Model provider': of('It echoes keys, or sends nonsense, endless or hanging replies'),
  'Your own tools': of("One hangs, throws secrets, floods, or takes another's key"),
  Redis: of('It is down, slow, full or empty'),
  'Redis (`REDIS_URL`)': of('It is down, slow, full or empty'),
  'Log and telemetry': of("A line, a span or a reply contains a secret or a task's text"),
  Operator: of('A typo leaves the service open, or a key lands in the wrong place'),
  Build: of('A package was changed, or is not what it claims to be'),

  // Sentences of the rows.
  'What it sends is counted before it is parsed, and a flood ends its connection: `test/engine/mcp/floods.test.ts`, `test/soak/mcp-floods.soak.ts`':
    mcpFloods,
  'Headers must arrive within 10 s, a request within 30 s: `test/properties/contract.test.ts`, `test/faults/peers.test.ts`, `test/soak/slow-requests.soak.ts`':
    [limitsOfPeers, slowHeaders],
  'A connection is read on only when its request is answered; at most 1,000 callers share a run: `test/engine/http/connections.test.ts`, `test/engine/tasks/shared-tasks.test.ts`, `test/soak/floods.soak.ts`':
    [pipelines, thousand, floods],
  'Only what every request would meet counts against a model, the last one is always asked, and what a refusal teaches holds for all runs only after a call made with it succeeded, for ten minutes: `test/engine/model/breaker.test.ts`, `test/engine/model/learnt.test.ts`':
    [
      `${breaker}: $title, met by three tasks, changes nothing for the next`,
      `${breaker}: if the fallback fails, a model with an open breaker is asked after all, and errors are of this run`,
      `${learnt}: a fact holds in its run, after a success in all runs, and for ten minutes`,
    ],
  'Three silent tasks at once, with no other traffic, put a model behind its fallback until a probe succeeds':
    [
      `${breaker}: $title, met by three runs: the fallback is asked first, and one run in five seconds probes`,
      `${breaker}: a model that still answers others is not silent`,
    ],
  '`test-<n>` ids always run again': [
    separate,
    `${redisFaults}: a task with an id test-<n> is not shared, however often it comes`,
  ],
  'Runs with such pages delay all reading: 12 honest searches take 0.8 s alone, 5 to 6 s beside four such runs, and beside twelve 10 s, with none of their pages read (`node test/tools/web-search/measure-hostile-runs.ts`).':
    [runaways],
  'What arrives on a connection is limited to about twice that, whatever it is, and one that sends more than eight interim replies (HTTP 1xx) is closed: `test/tools/web-search/endless-replies.test.ts`, `test/tools/web-search/page-limits.test.ts`':
    [
      `${endless}: %s: gives up by itself, soon`,
      `${endless}: a page behind $interim interim replies is $text`,
    ],
  "It gets none of the agent's variables except `PATH`, `HOME` and the like: `test/engine/mcp/lies.test.ts`":
    [ofProgram],
  'Redirects are refused, replies are limited to 16 MiB, each reply is checked, and provider errors are never quoted: `test/engine/model/provider-trust.test.ts`, `test/engine/nodes/answers.test.ts`, `test/engine/model/model-replies.test.ts`':
    of('It echoes keys, or sends nonsense, endless or hanging replies'),
  'It holds successes for `REPLAY_TTL_SEC`, and other replies for 5 s if somebody waits for them; results of tools with side effects as long as the answer of their task, for 24 hours if there is none, masked and up to 64 kB each, and of their arguments a digest.':
    ['test/fleet/load.fleet.ts: expect(Math.max(...lives)).toBeLessThanOrEqual(60_000)', keptShort],
  'It never holds an API key or a token.': [
    `${redisFaults}: Redis gets ids, digests and masked answers: no request, token or key`,
    access,
  ],
  'Only listed fields are written, never texts.': [noTexts, noContent],

  // What follows.
  'The model is not a boundary.': [
    disabled,
    deadline,
    injection,
    `${limits}: stops a model that keeps asking`,
  ],
  'The model is not a boundary. Anyone who can write text that it reads can ask for whatever its tools can do.':
    [disabled, injection],
  'Secrets are kept out rather than filtered out.': [ownSecrets, ofProgram],
  "The only caller is the platform's orchestrator.": [separate, auth],
  "can get another caller's answer only with its UUID and its whole body.": [separate],
  'Availability is limited, not promised.': [
    full,
    'test/engine/http/contract-load.test.ts: a queue: it fills up, then 503',
    deadline,
  ],
}
