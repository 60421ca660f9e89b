import type { IncomingMessage, Server } from 'node:http'
import { type Call, json, type Reply, SecondAgent } from '../second-agent/agent.ts'
import { Refusal, type Task } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'
import { REFUSED } from './requests.ts'

/** Replaces its answer to a request that it refuses with this code. */
const refusing = (change: (refusal: Refusal, reply: Reply) => Reply, code = 400) =>
  class extends SecondAgent {
    override refuse(refusal: Refusal): Reply {
      const reply = super.refuse(refusal)
      return refusal.status === code ? change(refusal, reply) : reply
    }
  }

/** Refuses valid requests. */
const rejecting = (isWrong: (body: Readonly<Record<string, unknown>>) => boolean) =>
  class extends SecondAgent {
    override read(call: Call): Task {
      const task = super.read(call)
      if (isWrong(JSON.parse(call.body))) throw new Refusal(400, 'this is not to my liking', task.id)
      return task
    }
  }

export const inputFaults: readonly Fault[] = [
  {
    name: 'ends-at-broken-json',
    does: 'stops serving when a body is not JSON',
    Agent: class extends SecondAgent {
      #server: Server | undefined

      override server(): Server {
        this.#server = super.server()
        return this.#server
      }

      override parse(body: string): unknown {
        try {
          return super.parse(body)
        } catch (error) {
          this.#server?.close()
          this.#server?.closeAllConnections()
          throw error
        }
      }
    },
    caughtBy: ['health.after_errors', 'input.healthy'],
  },
  {
    name: 'drops-big-bodies',
    does: 'drops the connection on a big body',
    Agent: class extends SecondAgent {
      override async receive(request: IncomingMessage): Promise<string> {
        if (Number(request.headers['content-length'] ?? 0) > 512 * 1024) request.destroy()
        return super.receive(request)
      }
    },
    caughtBy: ['input.large', 'input.too_large'],
  },
  {
    name: 'crash-500',
    does: 'answers an invalid request with 500',
    Agent: refusing((_, reply) => ({ ...reply, status: 500 })),
    caughtBy: REFUSED,
  },
  {
    name: 'stack-in-reply',
    does: 'shows a stack trace',
    Agent: refusing(({ stack = '' }) => json(400, { message: stack })),
    caughtBy: ['input.no_internals'],
  },
  {
    name: 'html-refusals',
    does: 'refuses with an HTML page',
    Agent: refusing(() => ({
      status: 400,
      body: '<!doctype html><title>Bad Request</title>',
      headers: { 'Content-Type': 'text/html' },
    })),
    caughtBy: ['input.no_pages'],
    says: /No task_id: a page with HTTP 400; No input: a page/,
  },
  {
    name: 'error-without-metrics',
    does: 'answers an invalid request with 200 and only an error',
    Agent: refusing(({ message, taskId }) => json(200, { task_id: taskId, status: 'error', error: message })),
    caughtBy: ['input.error_shape'],
  },
  {
    name: 'error-without-echo',
    does: 'forgets the task_id of an invalid request',
    Agent: refusing((_, { body }) => json(200, { ...JSON.parse(body), task_id: '' })),
    caughtBy: ['input.error_echo'],
  },
  {
    name: 'success-without-input',
    does: 'succeeds on a task without input',
    Agent: class extends SecondAgent {
      override parse(body: string): unknown {
        const parsed = super.parse(body)
        if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return parsed
        return 'input' in parsed ? parsed : { ...parsed, input: 'What is 1 + 1?' }
      }
    },
    caughtBy: ['input.missing_input'],
  },
  {
    name: 'refuses-uuid-v7',
    does: 'accepts only version 4 UUIDs',
    Agent: rejecting(({ task_id }) => /^[\da-f]{8}-[\da-f]{4}-7/i.test(String(task_id))),
    caughtBy: ['run.uuid_v7', 'run.http_200'],
  },
  {
    name: 'refuses-upper-case',
    does: 'accepts only lower-case UUIDs',
    Agent: rejecting(
      ({ task_id }) => /^[\dA-F-]{36}$/.test(String(task_id)) && /[A-F]/.test(String(task_id)),
    ),
    caughtBy: ['run.uuid_upper_case', 'run.http_200'],
  },
  {
    name: 'refuses-test-ids',
    does: 'accepts only UUIDs',
    Agent: rejecting(({ task_id }) => String(task_id).startsWith('test-')),
    caughtBy: ['run.test_id', 'run.short_test_id', 'run.same_test_id', 'run.http_200'],
  },
  {
    name: 'refuses-uuids',
    does: 'accepts only test-<n>',
    Agent: rejecting(({ task_id }) => /^[\da-f-]{36}$/i.test(String(task_id))),
    caughtBy: ['run.uuid', 'run.uuid_v7', 'run.uuid_upper_case', 'run.http_200'],
  },
  {
    name: 'config-required',
    does: 'refuses a request without config',
    Agent: rejecting(({ config }) => config === undefined),
    caughtBy: [
      'run.works',
      'run.http_200',
      'result.1',
      'result.2',
      'result.3',
      'result.4',
      'result.5',
      'result.6',
      'result.7',
      'result.8',
      'input.failures_are_200',
    ],
  },
  {
    name: 'refuses-config',
    does: 'refuses a request with config',
    Agent: rejecting(({ config }) => config !== undefined),
    caughtBy: [
      'run.empty_config',
      'run.system_prompt',
      'run.max_tokens',
      'run.config',
      'run.no_tools',
      'run.http_200',
      'input.failures_are_200',
    ],
  },
  {
    name: 'refuses-unknown-members',
    does: 'refuses unknown members',
    Agent: rejecting(body => Object.keys(body).some(name => !['task_id', 'input', 'config'].includes(name))),
    caughtBy: ['run.unknown_members'],
  },
  {
    name: 'refuses-authorization',
    does: 'refuses every request with an Authorization header',
    Agent: class extends SecondAgent {
      override authorize({ headers }: Call): void {
        if (headers.authorization !== undefined) throw new Refusal(400, 'no header of that name is taken')
      }
    },
    isOpen: true,
    caughtBy: ['run.authorization'],
    says: /expected HTTP 200, got 400/,
  },
  {
    name: 'takes-any-token',
    does: 'asks for a token, and accepts any',
    Agent: class extends SecondAgent {
      override authorize({ headers }: Call): void {
        if (!headers.authorization?.startsWith('Bearer ')) throw new Refusal(401, 'a bearer token is due')
      }
    },
    caughtBy: ['run.other_token'],
    says: /got "success"/,
  },
]
