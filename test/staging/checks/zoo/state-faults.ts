import { type Call, type Outcome, pause, type Reply, SecondAgent } from '../second-agent/agent.ts'
import { type Task, TOOLS } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'

/** Time for a check's other runs to arrive, even on a busy machine. */
const UNDER_WAY_MS = 50

/** Keeps one member of a run's config for later runs. */
const keeping = (
  member: 'systemPrompt' | 'maxTokens' | 'tools',
  isSet: (config: Record<string, unknown>) => boolean,
) =>
  class extends SecondAgent {
    #kept: Partial<Task> = {}

    override read(call: Call): Task {
      const task = super.read(call)
      const { config = {} } = JSON.parse(call.body)
      if (isSet(config)) this.#kept = { [member]: task[member] }
      return { ...task, ...this.#kept }
    }
  }

/** Misreads a request. */
const reading = (change: (config: { enabled_tools?: readonly string[] }, task: Task) => Task) =>
  class extends SecondAgent {
    override read(call: Call): Task {
      const task = super.read(call)
      return change(JSON.parse(call.body).config ?? {}, task)
    }
  }

/** Answers a repeated input with its earlier answer. */
const repeatsItself = (key: 'id' | 'input') =>
  class extends SecondAgent {
    readonly #outcomes = new Map<string, Promise<Outcome>>()

    override perform(task: Task): Promise<Outcome> {
      const outcome = this.#outcomes.get(task[key]) ?? super.perform(task)
      this.#outcomes.set(task[key], outcome)
      return outcome
    }
  }

export const stateFaults: readonly Fault[] = [
  {
    name: 'system-prompt-sticks',
    does: "keeps a run's system_prompt for all later runs",
    Agent: keeping('systemPrompt', config => config.system_prompt !== undefined),
    caughtBy: ['run.system_prompt_is_not_kept', 'run.no_memory', 'metrics.per_run'],
  },
  {
    name: 'tools-stick',
    does: "keeps a run's enabled_tools for all later runs",
    Agent: keeping('tools', config => config.enabled_tools !== undefined),
    caughtBy: [
      'run.enabled_tools_are_not_kept',
      'run.same_test_id',
      'run.after_hang_up',
      'run.staging_route',
      'input.alive',
      'metrics.input_tokens_grow',
    ],
  },
  {
    name: 'max-tokens-ignored',
    does: 'ignores max_tokens',
    Agent: class extends SecondAgent {
      override perform(task: Task): Promise<Outcome> {
        return super.perform({ ...task, maxTokens: undefined })
      }
    },
    caughtBy: ['run.max_tokens_caps'],
    says: /expected at most 5, got \d+/,
  },
  {
    name: 'max-tokens-in-figures-only',
    does: 'ignores max_tokens, and reports no more tokens than that',
    Agent: class extends SecondAgent {
      override perform(task: Task): Promise<Outcome> {
        return super.perform({ ...task, maxTokens: undefined })
      }

      override metrics(task: Task, outcome: Outcome, call: Call) {
        const metrics = super.metrics(task, outcome, call)
        return { ...metrics, output_tokens: Math.min(metrics.output_tokens, task.maxTokens ?? Infinity) }
      }
    },
    only: ['run'],
    caughtBy: ['run.max_tokens_caps'],
    says: /expected one token of text, got all: The answer is 999999955037034/,
  },
  {
    name: 'system-prompt-ignored',
    does: 'ignores system_prompt',
    Agent: class extends SecondAgent {
      override read(call: Call): Task {
        return { ...super.read(call), systemPrompt: '' }
      }
    },
    caughtBy: ['run.system_prompt_counts'],
  },
  {
    name: 'enabled-tools-ignored',
    does: 'ignores enabled_tools',
    Agent: class extends SecondAgent {
      override perform(task: Task): Promise<Outcome> {
        return super.perform({ ...task, tools: TOOLS })
      }
    },
    caughtBy: ['run.disabled_tools'],
    says: /expected no tool to run, got "The answer is 85972.5808441." in 2 steps/,
  },
  {
    name: 'some-tools-are-all',
    does: 'treats any list of tools but an empty one as all of them',
    Agent: reading((config, task) => (config.enabled_tools?.length ? { ...task, tools: TOOLS } : task)),
    caughtBy: ['run.disabled_tools'],
    says: /expected no tool to run/,
  },
  {
    name: 'one-tool-is-all',
    does: 'treats a list with one of its tools as all of them',
    Agent: reading((_, task) => (task.tools.size > 0 ? { ...task, tools: TOOLS } : task)),
    only: ['run'],
    caughtBy: ['run.disabled_tools'],
    says: /expected no tool to run/,
  },
  {
    name: 'max-tokens-for-the-next',
    does: "keeps a run's max_tokens for the next run",
    Agent: class extends SecondAgent {
      #kept: number | undefined

      override read(call: Call): Task {
        const task = super.read(call)
        const maxTokens = task.maxTokens ?? this.#kept
        this.#kept = task.maxTokens
        return { ...task, maxTokens }
      }

      override answer(task: Task) {
        // The answer is too short to be cut.
        const { text, uses } = super.answer(task)
        return { text: text.replace(/^The answer is (\d+)\.$/, '$1'), uses }
      }
    },
    caughtBy: ['run.max_tokens_is_not_kept', 'run.config_each', 'run.concurrent_config'],
    says: /expected the number 2329624557678912, got "The"/,
  },
  {
    name: 'configs-swapped',
    does: 'keeps the current config in one place for all runs',
    Agent: class extends SecondAgent {
      #task: Task | undefined

      override async perform(task: Task): Promise<Outcome> {
        this.#task = task
        await pause(UNDER_WAY_MS)
        return super.perform({ ...this.#task, input: task.input })
      }
    },
    caughtBy: ['run.concurrent_config'],
  },
  {
    name: 'replies-by-input',
    does: 'repeats its answer to a known input, whatever the config',
    Agent: repeatsItself('input'),
    caughtBy: ['run.config_each', 'run.concurrent_config', 'run.max_tokens_caps', 'run.disabled_tools'],
    says: /without the config of the run before: expected the number 999999955037034, got "The"/,
  },
  {
    name: 'replies-by-task-id',
    does: 'repeats its answer to a known test-<n>',
    Agent: repeatsItself('id'),
    caughtBy: ['run.same_test_id'],
  },
  {
    name: 'remembers-tasks',
    does: 'reads earlier tasks along with the current one',
    Agent: class extends SecondAgent {
      #before = ''

      override async perform(task: Task): Promise<Outcome> {
        const outcome = await super.perform(task)
        const text =
          outcome.status === 'error' ? `${outcome.text} Before, you said: ${this.#before}` : outcome.text
        this.#before = task.input
        return { ...outcome, text }
      }
    },
    caughtBy: ['run.no_memory'],
  },
  {
    name: 'outputs-swapped',
    does: 'keeps the current task in one place for all runs',
    Agent: class extends SecondAgent {
      #task: Task | undefined

      override async perform(task: Task): Promise<Outcome> {
        this.#task = task
        await pause(UNDER_WAY_MS)
        return super.perform(this.#task)
      }
    },
    // Keeps its results right otherwise.
    concurrency: 1,
    caughtBy: ['run.concurrent', 'run.concurrent_config'],
  },
  {
    name: 'ids-swapped',
    does: 'keeps the current task_id in one place for all runs',
    Agent: class extends SecondAgent {
      #id = ''

      override async run(call: Call): Promise<Reply> {
        this.#id = this.read(call).id
        await pause(UNDER_WAY_MS)
        const reply = await super.run(call)
        return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), task_id: this.#id }) }
      }
    },
    caughtBy: ['run.concurrent'],
  },
]
