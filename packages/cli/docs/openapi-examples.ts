import {
  describeIssues,
  errorResponse,
  type HealthResponse,
  type RunResponse,
  runRequestFor,
} from '@agent-task-service/wire/contract'

const task_id = '6f9619ff-8b86-4011-b42d-00c04fc964ff'
const invalidRequest = { task_id: 'task-7', config: { max_tokens: 0 } }

export const examples = {
  requests: {
    minimal: { value: { task_id, input: 'What is 15% of 240?' } },
    configured: {
      value: {
        task_id,
        input: 'How many days is it from 2026-01-31 to 2026-03-01?',
        config: { system_prompt: 'Answer in one line.', max_tokens: 500, enabled_tools: ['time'] },
      },
    },
    local_test: { value: { task_id: 'test-1', input: 'What is 15% of 240?' } },
  },
  responses: {
    success: example({
      task_id,
      status: 'success',
      output: '15% of 240 = 36',
      metrics: { duration_sec: 1.204, input_tokens: 812, output_tokens: 31, steps: 3 },
    }),
    error: example(errorResponse(task_id, 'the model provider answered HTTP 401')),
    invalid_request: example(errorResponse(invalidRequest.task_id, problemsOf(invalidRequest))),
    timeout: example({
      task_id,
      status: 'timeout',
      output: '',
      metrics: { duration_sec: 110.002, input_tokens: 2051, output_tokens: 640, steps: 7 },
      error: 'the time limit of 110 s was reached',
    }),
  },
  eventStream: [
    'event: model_started\nid: 2\ndata: {"v":1,"at":0.004,"step":1,"model":"gpt-4.1-mini","attempt":1}',
    'event: text\nid: 3\ndata: {"v":1,"at":0.612,"step":1,"text":"Good"}',
    ': heartbeat',
    '',
  ].join('\n\n'),
  health: {
    ok: { value: healthOf('ok') },
    draining: { value: healthOf('draining') },
  },
}

function example(value: RunResponse) {
  return { value }
}

function problemsOf(request: object): string {
  return describeIssues(runRequestFor(() => []).safeParse(request).error?.issues ?? [], request)
}

function healthOf(status: HealthResponse['status']): HealthResponse {
  return { status, agent_id: 'agent-1', agent_name: 'Agent Task Service' }
}
