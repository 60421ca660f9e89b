import type { Proofs } from './promises-of.ts'

const CONFIG = 'test/engine/config/config.test.ts'
const ARRIVES = `${CONFIG}: each value arrives where it belongs, trimmed, and secrets are known as such`
const CAPS = 'test/engine/run/token-caps.test.ts'
const LOAD = 'test/engine/http/contract-load.test.ts'
const SEARCH = 'test/tools/web-search.test.ts'
const FALLBACK = `${CONFIG}: a fallback without an address has the first model's address, key and headers`
const WHERE = 'test/engine/telemetry/settings.test.ts: %j: where traces and metrics go'
const ONLY_OTHER = 'test/engine/telemetry/delivery.test.ts: %s=none: only the other signal'
const PROCESS = 'test/process/telemetry.test.ts: SIGTERM delivers the last spans, metrics and runs'
const MEMBERS =
  'test/engine/model/openai-model/members.test.ts: sends extra members and headers with each request; null removes a member'
const PATIENCE =
  'test/providers/stalls.test.ts: each model has its own patience: one may think longer than the other'
const LANGSMITH =
  'test/engine/telemetry/langsmith.test.ts: a run arrives node by node, with its model calls and its tool call'
const PRICES =
  'test/engine/run/money.test.ts: the cost of a run: cached tokens at their price, calls added up, in the log and in the events'
const MASKED = 'test/faults/secrets.test.ts: $vendor: in no reply and no log line, whoever repeats it'
const GUESS = 'test/engine/guess.test.ts'
const GUESSED = 'test/engine/masked-by-guess.test.ts'
const NOWHERE =
  'what looks secret in the environment is in no reply, event, log line or trace, and is named at start'
const BY_NAME = [
  `${GUESS}: a name that tells of a secret: %s`,
  `${GUESS}: a name that does not: %s`,
  `${GUESS}: a value that may be a secret: %s`,
  `${GUESS}: an ordinary value: %s`,
  `${GUESS}: no ordinary answer changes: $name`,
  `${GUESSED}: ${NOWHERE}`,
]

export const configuration: Proofs = {
  'If settings are wrong, the process reports every problem at once and exits with code 1.': [
    'test/process/start.test.ts: reports everything wrong with the environment at once, and exits with code 1',
  ],
  'A name that looks misspelt (`MODL`) causes a warning that suggests the right one': [
    `${CONFIG}: %s: did you mean %s?`,
    'test/process/start.test.ts: names a misspelt variable with the right one, never with its value',
  ],
  "if a secret's is meant (`AGENT_TOKNES`), the process does not start": [
    `${CONFIG}: %s for the secret %s: refused, without its value`,
  ],
  'The port is always 8080, as the interface wants it: a warning says that `PORT` is not read.': [
    `${CONFIG}: the port is not a setting`,
    'test/process/start.test.ts: PORT is not read: the port is always 8080',
  ],
  'How long a success is replayed to equal requests, in seconds; 0: never': [
    'test/engine/http/contract-replay.test.ts: a success is replayed for as long as REPLAY_TTL_SEC says, and with 0 never',
  ],
  '`true`: no OpenTelemetry, whatever else is set': [
    'test/engine/telemetry/delivery.test.ts: OTEL_SDK_DISABLED=true',
    WHERE,
  ],
  'Secret.': [
    MASKED,
    ARRIVES,
    'test/engine/own-graph.test.ts: the value of a variable of your own that is declared as secret is masked',
  ],

  'by name': BY_NAME,
  'by name: the value of an undeclared variable, if `KEY`, `TOKEN`, `SECRET`, `PASSWORD` or `CREDENTIALS` is a part of its name between underscores and none of `URL`, `ID`, `HOST`, `PORT`, `NAME`, `FILE`, `PATH` follows.':
    BY_NAME,
  'in a URL': [
    `${GUESS}: a URL's password: %s`,
    `${GUESS}: a URL without one, or with an ordinary word: %s`,
    `${GUESSED}: ${NOWHERE}`,
  ],

  '`AGENT_ID`': ['test/data/contract/edge.ts: GET /health of an agent with a name'],
  '`AGENT_NAME`': ['test/data/contract/edge.ts: GET /health of an agent with a name'],
  '`AGENT_TOKENS`': [
    'test/data/contract/edge.ts: token: the second',
    'test/data/contract/edge.ts: token: a blank AGENT_TOKENS leaves the service open',
  ],
  '`OPENAI_API_KEY`': [
    'test/engine/model/provider-trust.test.ts: the key goes to the provider as a bearer token, and to nobody else',
  ],
  '`OPENAI_BASE_URL`': [
    'test/engine/model/provider-trust.test.ts: the key goes to the provider as a bearer token, and to nobody else',
  ],
  '`MODEL`': [
    'test/engine/model/retries.test.ts: HTTP $status with code $code does not pass: one try, then the other model',
  ],
  '`FALLBACK_MODEL`': [
    'test/engine/model/retries.test.ts: retries the fallback model too; with both down, reports the last status',
  ],
  '`SYSTEM_PROMPT`': [
    "test/engine/system-prompt.test.ts: the agent's own prompt and an operator's end with the day in UTC",
  ],
  '`SEARCH_PROVIDER`': [ARRIVES, `${SEARCH}: is passed over for the next one`],
  '`WIKIPEDIA_URL`': [
    'test/offline-model/offline-model.test.ts: 127.0.0.1:9 could not be reached (ECONNREFUSED)',
  ],
  '`SEARXNG_URL`': [
    `${SEARCH}: asks /search for JSON and shows the results`,
    `${CONFIG}: 'SEARXNG_URL', engine('searxng')`,
  ],
  '`TAVILY_API_KEY`': [
    ARRIVES,
    `${SEARCH}: posts the query with the key as a bearer token and shows the results`,
  ],
  '`BRAVE_API_KEY`': [ARRIVES, `${SEARCH}: sends the key as X-Subscription-Token and shows the results`],
  '`MCP_CONFIG`': [
    'test/engine/mcp/process.test.ts: as shipped: a program serves, and exits on %s',
    'test/engine/config/mcp-file.test.ts: accepts programs and addresses, as other MCP clients write them',
  ],

  '`RUN_TIMEOUT_SEC`': ['test/engine/run/deadline.test.ts: the time limit of 1 s was reached'],
  '`ANSWER_BY_SEC`': [
    'test/engine/run/limits.test.ts: past ANSWER_BY_SEC no tool is offered and the model is told to answer now',
  ],
  '`MAX_STEPS`': [
    'test/engine/run/limits.test.ts: stops a model that keeps asking for tools within its steps',
  ],
  '`MAX_OUTPUT_TOKENS`': [
    `${CAPS}: MAX_OUTPUT_TOKENS caps a run that sets no cap of its own`,
    `${CAPS}: sends no cap if there is none`,
  ],
  '`MAX_TOTAL_TOKENS`': [`${CAPS}: MAX_TOTAL_TOKENS counts what has been read and generated so far`],
  '`MAX_RUN_COST_USD`': [
    'test/properties/money.test.ts: a run exceeds its limit by no more than calls without reported usage',
    'test/engine/run/money.test.ts: a limit too low for any call ends the run before it starts one',
  ],
  '`MAX_CONCURRENT_RUNS`': [
    `${LOAD}: full: 503 at once, health stays ok, and there is room again afterwards`,
  ],
  '`MAX_QUEUED_RUNS`': [`${LOAD}: a queue: it fills up, then 503`],
  '`MAX_BODY_BYTES`': [
    'test/data/contract/bodies.ts: body: too large for MAX_BODY_BYTES',
    'test/data/contract/bodies.ts: body: as large as MAX_BODY_BYTES',
  ],
  '`REPLAY_TTL_SEC`': [
    'test/engine/http/contract-replay.test.ts: a success is replayed for as long as REPLAY_TTL_SEC says, and with 0 never',
  ],
  '`REDIS_URL`': [
    `${CONFIG}: REDIS_URL %s`,
    'test/fleet/load.fleet.ts: 2,000 tasks, each sent twice to any of three replicas: 2,000 runs, equal replies',
    'test/fleet/access.fleet.ts: TLS: refuses an untrusted certificate, accepts a trusted one',
  ],
  '`EFFECT_JOURNAL`': [
    'test/engine/effects/taken-over.test.ts: the same calls get the same results',
    'test/engine/effects/taken-over.test.ts: EFFECT_JOURNAL=off: a run with effects that is taken over ends, even if they had ended',
  ],
  '`SHUTDOWN_GRACE_SEC`': [
    'test/process/drain.test.ts: runs that outlive the grace period get their timeout reply before the process exits',
  ],
  '`ERROR_METRICS`': [
    'test/engine/tasks/run-task.test.ts: an error has no text, %s metrics, and no key that someone else quoted',
  ],
  '`UNMASKED_VARIABLES`': [
    `${GUESSED}: UNMASKED_VARIABLES are exempt from guesses, not from what is declared`,
  ],
  '`LOG_LEVEL`': ['test/engine/own-graph.test.ts: LOG_LEVEL is the least severe level in the log'],
  '`LOG_ERRORS`': [
    'test/engine/log-errors.test.ts: LOG_ERRORS=full: messages and stacks of tools and of the graph, without secrets',
    'test/engine/log-errors.test.ts: LOG_ERRORS=brief: class and location, no words',
    'test/process/dev.test.ts: errors full mark 0',
  ],
  '`LANGSMITH_TRACING`': [LANGSMITH],
  '`LANGSMITH_API_KEY`': [
    'test/engine/telemetry/settings.test.ts: LangSmith without a key, unless it is your own server',
  ],
  '`OTEL_EXPORTER_OTLP_ENDPOINT`': [
    WHERE,
    'test/engine/telemetry/delivery.test.ts: protobuf, the default: spans and metrics',
  ],
  '`OTEL_EXPORTER_OTLP_HEADERS`': [PROCESS],

  '`MODEL_PROVIDER`': [`${CONFIG}: %j: the model provider is %s`],
  '`OPENAI_API`': [
    'test/engine/model/responses.test.ts: OPENAI_API=%s is kept',
    'test/engine/model/responses.test.ts: a server that points to /responses is asked there, after one wasted call in the life of the process',
  ],
  '`MODEL_PARAMS`': [MEMBERS],
  '`MODEL_HEADERS`': [MEMBERS],
  '`MODEL_PRICE`': [PRICES, 'test/engine/run/money.test.ts: the published price of a model, by its endpoint'],
  '`MODEL_PATIENCE_SEC`': [PATIENCE],
  '`FALLBACK_BASE_URL`': [
    FALLBACK,
    'test/providers/providers.test.ts: one refusal, and the other model is called, with its own key',
  ],
  '`FALLBACK_API`': [ARRIVES, 'test/engine/model/responses.test.ts: FALLBACK_API'],
  '`FALLBACK_API_KEY`': [
    FALLBACK,
    'test/providers/providers.test.ts: one refusal, and the other model is called, with its own key',
  ],
  '`FALLBACK_PARAMS`': [ARRIVES],
  '`FALLBACK_HEADERS`': [ARRIVES, 'test/engine/model/fallback.test.ts: FALLBACK_HEADERS'],
  '`FALLBACK_PRICE`': [
    'test/properties/money.test.ts: a run exceeds its limit by no more than calls without reported usage',
  ],
  '`FALLBACK_PATIENCE_SEC`': [PATIENCE],
  '`TEMPERATURE`': [
    ARRIVES,
    'test/engine/telemetry/spans.test.ts: a run with tools: one tree under the request, each span inside its parent',
  ],
  '`TOOLS_AFTER_WEB`': ['test/engine/injection.test.ts: the operator may allow it for a tool'],
  '`SEARCH_MAX_TOKENS`': [
    ARRIVES,
    'test/tools/web-search/passages.test.ts: balances pages that have more, and no exhausted page holds them back, within %i tokens',
  ],
  '`SEARCH_PORTS`': [ARRIVES, 'test/tools/web-search/refused-addresses.test.ts: refuses port %i on any host'],
  '`SEARCH_PRIVATE_HOSTS`': [
    ARRIVES,
    'test/tools/web-search/refused-addresses.test.ts: reads what the operator allows by name, without cookies, referrer or credentials',
  ],
  '`HTTPS_PROXY`': [
    'test/process/proxies.test.ts: an https address is reached through HTTPS_PROXY by a tunnel, in which TLS begins',
  ],
  '`HTTP_PROXY`': [
    'test/process/proxies.test.ts: a model is asked through HTTP_PROXY, in lower case too; its password is in no log',
    'test/process/proxies.test.ts: traces, metrics, LangSmith and MCP servers go through the proxy',
  ],
  '`NO_PROXY`': [
    `${CONFIG}: proxies in either case: lower case wins, and a name stands for those below it`,
    'test/process/proxies.test.ts: the address of a model is reached directly with %j',
  ],
  '`SEARCH_PROXY`': [
    ARRIVES,
    'test/tools/web-search/proxy.test.ts: with a proxy, engines and pages are reached through it, except the private hosts',
  ],
  '`WIKIPEDIA_CONTACT`': [
    ARRIVES,
    `${SEARCH}: asks the action API, names itself, and shows leads by relevance`,
  ],
  '`TAVILY_URL`': [ARRIVES],
  '`BRAVE_URL`': [ARRIVES],
  '`LANGSMITH_ENDPOINT`': [LANGSMITH],
  '`LANGSMITH_PROJECT`': [LANGSMITH],
  '`LANGSMITH_TRACING_SAMPLING_RATE`': [
    'test/engine/telemetry/langsmith.test.ts: LANGSMITH_TRACING_SAMPLING_RATE',
  ],
  '`OTEL_SDK_DISABLED`': ['test/engine/telemetry/delivery.test.ts: OTEL_SDK_DISABLED=true'],
  '`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`': [WHERE],
  '`OTEL_EXPORTER_OTLP_METRICS_ENDPOINT`': [WHERE],
  '`OTEL_TRACES_EXPORTER`': [ONLY_OTHER, WHERE],
  '`OTEL_METRICS_EXPORTER`': [ONLY_OTHER],
  '`OTEL_EXPORTER_OTLP_PROTOCOL`': [
    'test/engine/telemetry/delivery.test.ts: protobuf, the default: spans and metrics',
  ],
  '`OTEL_EXPORTER_OTLP_TRACES_HEADERS`': [PROCESS],
  '`OTEL_EXPORTER_OTLP_METRICS_HEADERS`': [
    'test/engine/telemetry/settings.test.ts: the values of headers are secrets',
  ],
  '`OTEL_SERVICE_NAME`': [PROCESS],
  '`OTEL_RESOURCE_ATTRIBUTES`': [PROCESS],
  '`OTEL_TRACES_SAMPLER`': ['test/engine/telemetry/spans.test.ts: OTEL_TRACES_SAMPLER'],
  '`OTEL_TRACES_SAMPLER_ARG`': ['test/engine/telemetry/spans.test.ts: OTEL_TRACES_SAMPLER_ARG'],
  '`OTEL_METRIC_EXPORT_INTERVAL`': [
    'test/engine/telemetry/delivery.test.ts: logs once that nothing is delivered, and once that it is again',
  ],
  '`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`': [
    'test/engine/telemetry/content.test.ts: exports no content unless asked to',
    'test/engine/telemetry/content.test.ts: exports content in the form of the conventions',
  ],
}
