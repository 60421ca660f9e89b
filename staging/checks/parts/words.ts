/** Why things matter, in the interface's own words. */
export const words = {
  health: 'GET /health: HTTP 200 with the health response.',
  healthStatus: 'Health response: `status` is the literal `ok` when the agent is healthy.',
  healthId: 'Health response: `agent_id`, identifier of the agent, shape `agent-<number>`.',
  healthName: 'Health response: `agent_name` is a string, the name of the agent.',
  healthTimeout:
    "When the orchestrator's /health check gets no answer more than 3 times in a row, the agent is marked unavailable. Each check has a 5-second timeout.",
  healthToken: 'Whether /health requires authentication: not shown. GET /health: no request body.',
  authorization:
    'POST /run: request headers `Content-Type: application/json` and `Authorization: Bearer <token>`.',
  staging: 'Staging checks: a task started from the staging dashboard works.',
  runRequest:
    'Run request: `task_id` (string, UUID) and `input` are required, `config` is not. The staging and local test calls also send `task_id` values of the shape `test-<number>`.',
  runResponse:
    'Run response: `task_id`, `status`, `output` and `metrics` are always present; `status` is one of success, error, timeout.',
  runOk:
    'POST /run, success path: HTTP 200 with the run response. `status` is `success`, `output` holds the result and `metrics` is filled.',
  echo: "Run response: `task_id` is always present, the echo of the request's `task_id`.",
  config: '`config`: overrides of parameters for this run only.',
  maxTokens: '`max_tokens`: token cap for the run.',
  enabledTools: '`enabled_tools`: names of tools enabled for this run.',
  unknown: 'Whether unknown fields are rejected: not shown. A newer orchestrator may send some.',
  text: 'Run request: `input` is the task text for the agent. Run response: `output` is the result text.',
  concurrency:
    'The service accepts one task at a time as a text instruction; concurrency: not shown. Each run response belongs to its own request.',
  result: 'Staging checks: the result is correct.',
  errors:
    'Staging checks: erroneous input is handled correctly. Response to an invalid request: not shown; HTTP 4xx and 5xx are reserved for infrastructure problems only.',
  refusalBody:
    'Error codes, and the body of an HTTP 4xx or 5xx response: not shown. The orchestrator is a program.',
  failure: 'Agents must return HTTP 200 even when the agent fails; the failure is carried in `status`.',
  errorShape:
    'In the error response `error` is a free-text description, `output` is an empty string and `metrics` is an empty object.',
  secrets: "The agent's logs must not contain secret data.",
  metricsFilled:
    'The agent reports per-run metrics (tokens, steps) to the orchestrator, and fills `metrics` in every /run response.',
  metricsTypes:
    '`metrics`: `duration_sec` number (seconds), `input_tokens` integer, `output_tokens` integer, `steps` integer.',
  metricsReach: 'Staging checks: metrics reach the orchestrator.',
  runTimeout: 'Limits: /run time-out is 120 seconds.',
  p95: '/run time for marketplace agents: at most 30 seconds for 95% of requests.',
  start: 'Container start time: within 30 seconds.',
  image: 'Container image size: at most 500 MB.',
  base: 'Base image: a slim variant of the prescribed language runtime image; the alpine variant is not used.',
  containerHealth:
    'Container health check: GET /health on port 8080, interval 30 s, time-out 5 s, 3 retries.',
  secretsGiven:
    'Secrets are supplied only through environment configuration, never hard-coded and never stored.',
  port: 'Container listening port: 8080 (fixed).',
  end: 'The agent is delivered and run as a container. Shutdown: not shown; container runtimes send SIGTERM, then SIGKILL if the process does not exit.',
} as const
