import { type Json, type Outcome, type Reply, SecondAgent } from '../second-agent/agent.ts'
import type { Task } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'
import { FAILED } from './requests.ts'

/** Replaces members of the reply to tasks with these outcomes; `undefined` omits one. */
const saying = (change: Json | ((reply: Json) => Json), ending?: Outcome['status']) =>
  class extends SecondAgent {
    override response(task: Task, outcome: Outcome, metrics: Json): Json {
      const reply = super.response(task, outcome, metrics)
      if (ending !== undefined && outcome.status !== ending) return reply
      return { ...reply, ...(typeof change === 'function' ? change(reply) : change) }
    }
  }

/** Replaces the reply to tasks with this outcome. */
const sending = (change: (reply: Reply) => Reply, ending: Outcome['status']) =>
  class extends SecondAgent {
    override answered(task: Task, outcome: Outcome, metrics: Json): Reply {
      const reply = super.answered(task, outcome, metrics)
      return outcome.status === ending ? change(reply) : reply
    }
  }

export const replyFaults: readonly Fault[] = [
  {
    name: 'run-text-html',
    does: 'sends run responses as text/html',
    Agent: sending(reply => ({ ...reply, headers: { 'Content-Type': 'text/html' } }), 'success'),
    caughtBy: ['run.shape'],
  },
  {
    name: 'failure-500',
    does: 'answers a failed valid task with 500',
    Agent: sending(reply => ({ ...reply, status: 500 }), 'error'),
    caughtBy: ['run.http_200', 'input.failures_are_200', ...FAILED],
  },
  {
    name: 'output-missing',
    does: 'omits the output of a failed task',
    Agent: saying({ output: undefined }, 'error'),
    caughtBy: ['run.shape', 'input.error_shape'],
  },
  {
    name: 'error-missing',
    does: 'omits the error of a failed task',
    Agent: saying({ error: undefined }, 'error'),
    caughtBy: ['run.shape', 'input.error_shape'],
  },
  {
    name: 'status-ok',
    does: 'says "ok" instead of "success"',
    Agent: saying({ status: 'ok' }, 'success'),
    caughtBy: ['run.works', 'run.shape'],
  },
  {
    name: 'task-id-lower-case',
    does: 'echoes the task_id in lower case',
    Agent: saying(({ task_id }) => ({ task_id: String(task_id).toLowerCase() })),
    caughtBy: ['run.task_id'],
  },
  {
    name: 'status-twice',
    does: 'writes two members named status',
    Agent: sending(reply => ({ ...reply, body: `{"status":"error",${reply.body.slice(1)}` }), 'success'),
    caughtBy: ['run.unique_members'],
  },
  {
    name: 'text-after-the-reply',
    does: 'appends a line to the JSON of a success',
    Agent: sending(reply => ({ ...reply, body: `${reply.body}\nOK` }), 'success'),
    caughtBy: ['run.works', 'run.shape'],
  },
  {
    name: 'task-id-missing',
    does: 'omits the task_id',
    Agent: saying({ task_id: undefined }),
    caughtBy: ['run.task_id', 'input.error_echo', 'input.error_shape'],
  },
]
