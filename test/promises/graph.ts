import type { Proofs } from './promises-of.ts'

const HABITS = 'test/habits/habits.habit.ts'
const NODES = 'test/habits/edits/nodes.ts: export const'
const MODELS = 'test/habits/edits/models.ts: export const'
const AGENTS = 'test/habits/edits/agents.ts: export const'
const OWN = 'test/engine/own-graph.test.ts'
const AT_ONCE = 'test/engine/nodes/calls-at-once.test.ts'
const DEADLINE = 'test/engine/run/deadline.test.ts'
const ENDS = `${OWN}: a node that %s: what the caller reads, and the reason in the log`
const RETRIES =
  "test/engine/own-graph.test.ts: a class of the node's own retries six times unless told otherwise"
const NAMED = `${OWN}: a model of the node's own is not told the rest of a cap: the log names its class, once`
const SECRET = `${OWN}: the value of a variable of your own that is declared as secret is masked`
const CUSTOM = `${OWN}: what a node writes to watchers: %s`
const REACHES = 'test/engine/prebuilt-graphs.test.ts: %s: the settings of a run reach the model'
const SETTINGS = 'test/engine/http/own-settings.test.ts'
const WITHOUT_OWN_TESTS = 'test/habits/edited-project.ts: Only these tests are for their owner to change.'
const HANG_UP = `${HABITS}: a hang-up closes the model's socket`
const CAP_REFUSED = `${HABITS}: a model in the list that ignores the cap is refused at start, over HTTP and in Studio`

export const graph: Proofs = {
  '`POST /run` and LangGraph Studio run the same compiled graph, so what works in one works in the other': [
    `${HABITS}: what the model is asked in Studio`,
  ],
  '`npm run habits` runs every example, over HTTP and in Studio, with a model that obeys.': [
    'test/docs/graph-guide.test.ts: `npm run habits` runs every section with code',
    'test/docs/graph-guide.test.ts: %s: its changes fit the graph as shipped',
  ],
  'These files are yours. The rest is the engine, which a later version replaces': [
    'test/docs/graph-guide.test.ts: every edit stays within what its owner keeps when a later version replaces the rest',
  ],
  'The text of the last message, which must come from the model or a tool, goes out as `output`.': [
    ENDS,
    `${NODES} clientInParts`,
  ],
  'It is called once, after the last run has ended, and has 5 s': [
    "test/process/drain.test.ts: what the agent's owner made is closed once the last run has ended",
    'test/engine/owned.test.ts: parts that never close hold the service up for 5 s',
  ],
  'if it fails or takes longer, the log has one line, `not disposed`': [
    'test/engine/owned.test.ts: parts with Symbol.%s, and such a tool, are closed with the service, and a failure is one log line',
  ],
  'In Studio it is called on SIGTERM, in `npm run eval` at the end.': [
    'test/engine/owned.test.ts: parts are closed when Studio is told to stop',
    "test/evaluation/evaluation.test.ts: what the agent's owner made is closed at the end",
  ],
  'The graph is built once for all runs': ['test/habits/edits/state-forms.ts: You said: Hello (warm)'],
  'A variable that begins with `Secret.` in its description is masked in every log line and reply, and a misspelt one stops the start.':
    [SECRET],
  'An `UntrackedValue` lasts for one run.': ['test/habits/edits/state-forms.ts: export const stateKey'],
  "All forms of LangGraph's pages work: a `StateSchema` of your own, `MessagesAnnotation`, `Annotation.Root`, a Zod object.":
    [
      'test/habits/edits/state-forms.ts: export const ownStateSchema',
      'test/habits/edits/state-forms.ts: export const messagesAnnotation',
      'test/habits/edits/state-forms.ts: export const annotationWithInput',
      'test/habits/edits/state-forms.ts: export const zodState',
    ],
  'Then nodes may write the key in parallel too.': [
    'test/habits/edits/state-forms.ts: export const keyOfSeveralNodes',
  ],
  "the reply is a success with the guard's answer and `steps: 0`": [`${NODES} guardAfterStart`],
  '`status: "error"` with this message; the log says `stop: "refused"`': [ENDS],
  '`the agent failed`; the log has its class and location, Studio its message': [
    ENDS,
    `${NODES} nodeThatThrows`,
    'test/engine/log-errors.test.ts: LOG_ERRORS=brief: class and location, no words',
  ],
  '`the graph ended without an answer`; the log says `stop: "empty_answer"`': [ENDS],
  'All tests but those in `test/own` run the agent as it ships': [WITHOUT_OWN_TESTS],
  'Parallel calls cannot exceed the budget together: each takes its step before it begins, and under a token cap they run one at a time.':
    [
      `${AT_ONCE}: calls that begin together stay within the steps`,
      `${AT_ONCE}: calls that begin together share what is left of a cap`,
      `${AGENTS} fanOut`,
    ],
  'Its calls are counted and cancelled like all others.': [`${AGENTS} prebuiltAgent`, HANG_UP],
  '`system_prompt` reaches the model by the middleware alone.': [REACHES, `${AGENTS} langChainAgent`],
  '`parts.model` is offered no tool of `parts.tools` that the run leaves out.': [
    REACHES,
    `${AGENTS} langChainAgent`,
    `${AGENTS} reactAgent`,
  ],
  "The log says so once if a run's `system_prompt` reached no model, or a model was offered a tool that the run leaves out.":
    [
      'test/engine/ignored-settings.test.ts: a graph that ignores system_prompt: the log says so, once',
      'test/engine/ignored-settings.test.ts: %s, offered tools that the run leaves out: the log says so, once',
    ],
  'Of several agents, only the one that gets the task takes it, and the others keep their own prompts': [
    REACHES,
  ],
  'A call that ToolNode rejects itself, for an unknown name or bad arguments, is not a step.': [
    'test/habits/edits/tools.ts: export const toolNode',
  ],
  'The run does not wait for them beyond their time limit, but their request goes on.': [
    'test/engine/tool-containment.test.ts: reports a hanging tool at its time limit, and leaves it behind',
    `${DEADLINE}: does not wait for a tool that ignores the signal; drops its late result`,
  ],
  'The call is a step, however you make it: with `config`, without, with callbacks of its own, through `stream`, `bindTools`, `withStructuredOutput`, `withRetry`, `withFallbacks` or `prompt.pipe(model)`.':
    [`${MODELS} modelInANode`, `${MODELS} structuredOutput`],
  'Return the object as `structuredResponse`: it becomes the `output` of the reply, as JSON.': [
    `${MODELS} structuredOutput`,
  ],
  'One that does not match ends the run with `the agent failed`, unless the node catches the error.': [
    `${OWN}: structured output that does not fit its schema fails the run, unless the node catches it`,
  ],
  'By default the method is `functionCalling`, a forced call': [
    'test/engine/model/structured-output.test.ts: %s asks as LangChain says, and reads the answer',
  ],

  'Its calls are steps, counted, streamed, traced and ended with the run.': [
    `${MODELS} modelOfOnesOwn`,
    HANG_UP,
    `${HABITS}: spans of model calls`,
  ],
  'The cap of a call.': [NAMED, `${MODELS} modelOfOnesOwn`, `${MODELS} ownModelInParallel`],
  'Such calls run one at a time, and the first after the cap is used up is refused.': [
    `${MODELS} ownModelInParallel`,
  ],
  "Retries and fallbacks within the run's time.": [RETRIES],
  "Retries and fallbacks within the run's time. The class retries six times by default, whatever the deadline: `maxRetries: 0` turns that off.":
    [RETRIES],
  'the log names the class at its first call': [
    `${OWN}: a class of the node's own that retries by itself: the log names it, once`,
  ],
  'Without it, a warning at start names the class.': [
    `${OWN}: a class in the list of models that retries by itself: the log names it at start`,
  ],
  "The run's callbacks, if you pass your own": [
    `${OWN}: a call with callbacks in place of the run's is not counted; one with more of them is`,
  ],
  'Patience.': [`${OWN}: a model of the node's own that falls silent is waited for until the run ends, once`],
  'Checks and repairs of the reply': [
    "test/engine/model/responses.test.ts: what this service does in place of LangChain's class is still needed",
  ],
  'Masking of its key.': [SECRET],

  'The variables keep their names, whatever the provider, so that the key is checked at start and masked everywhere.':
    [
      `${MODELS} otherChatClass`,
      'test/engine/config/config.test.ts: refuses %s=%j, and shows no secret',
      'test/faults/secrets.test.ts: $vendor: in no reply and no log line, whoever repeats it',
    ],
  'for `TEMPERATURE`, `MODEL_PARAMS` and `FALLBACK_PARAMS` a warning at start says so': [
    `${HABITS}: settings that another class does not read are warned of at start; the log names the class`,
  ],
  'Start-up refuses a model that ignores it.': [CAP_REFUSED],
  'Every call is streamed.': [`${MODELS} otherChatClass`],
  'Further entries are fallbacks, of any class.': [
    "test/engine/model/retries.test.ts: leaves another provider's unreachable client for the next model too",
  ],
  '`patienceMs` is how long a model may stay silent.': [
    'test/providers/stalls.test.ts: each model has its own patience: one may think longer than the other',
  ],
  'the state keeps everything': [`${MODELS} shorterConversation`],

  'Over HTTP, `"config": {"audience": "children"}` sets it, and `{"audience": 7}` is refused with what was expected.':
    ['test/habits/edits/settings.ts: export const settingInThePrompt', `${SETTINGS}: %j is refused`],
  '`POST /run` checks it against the schema and fills in its default. It ignores undeclared members.': [
    `${SETTINGS}: own settings %j arrive as %j`,
    'test/habits/edits/settings.ts: export const ownSetting',
  ],
  'Its type must be one that JSON can hold, without transforms.': [
    `${HABITS}: a setting of one's own that JSON cannot hold is refused at start`,
  ],
  'All own settings together may take 16,384 characters of JSON.': [
    `${SETTINGS}: %j is refused`,
    `${SETTINGS}: 16,384 characters of own settings are taken`,
  ],
  'Two tasks with different values are different tasks.': [
    'test/engine/tasks/shared-tasks.test.ts: own settings are part of what the ledger compares, here and in Redis',
  ],
  'Values are never logged.': [
    `${HABITS}: own settings are in Studio's form, and in no log line and no span`,
  ],
  '`system_prompt`, `max_tokens` and `enabled_tools` under `configurable` cause an error': [
    'test/engine/graph-alone.test.ts: settings under configurable are an error that names context',
  ],

  'It is sent as JSON with secrets masked.': [CUSTOM, `${NODES} customEvent`],
  'Anything that is not JSON, or exceeds 8 kB, arrives as `{"omitted": why}`.': [CUSTOM],
  'A tool can return a `Command` too': ['test/habits/edits/tools.ts: export const toolWithCommand'],
  'In Studio the run stops there and continues with your answer.': [
    `${HABITS}: interrupt: Studio asks, and continues with the answer`,
  ],
  'Put a condition before it, so that paths without a person never reach it.': [
    `${NODES} interruption`,
    `${NODES} guardAfterStart`,
  ],
  'Over HTTP the run ends with `the tool "refund" called interrupt(), which needs a thread; POST /run has none`.':
    [
      'test/habits/edits/tools.ts: export const approvalInATool',
      "test/engine/tool-containment.test.ts: ... in LangChain's ToolNode too",
    ],
  'Refused at start: there is nothing to resume': [
    `${HABITS}: a checkpointer: Studio keeps its own threads, over HTTP it is refused at start`,
  ],
  'Stops there | Refused at start': [
    `${HABITS}: static interrupts: Studio stops there, over HTTP they are refused at start`,
  ],
  '`compile({ store })`, also as `config.store`': [`${NODES} ownStore`],
  'Each run of a thread has the same budget and deadline as over HTTP, counted from its own start.': [
    'test/studio/studio.test.ts: a thread with two runs: each answers the newest question, with its own budget',
  ],

  'A step': [
    `${NODES} retriedNode`,
    `${HABITS}: expectCounted(run, requests, task)`,
    'test/engine/run/metrics.test.ts: counts paid tries, usable or not, and the fallback model',
  ],
  Tokens: [
    'test/engine/run/metrics.test.ts: sums tokens over all calls as the provider reports them',
    'test/engine/run/metrics.test.ts: counts what no provider reports in o200k_base: text, tools and tool calls, read and generated',
    'test/engine/run/token-caps.test.ts: caps each call at what the run has left',
  ],
  'A call that does not fit never begins': [
    `${AT_ONCE}: a tool that the budget refuses never starts`,
    'test/engine/run/token-caps.test.ts: MAX_TOTAL_TOKENS: a call whose tools do not fit is never sent',
  ],
  'A call that does not fit never begins, and the run ends with an `error` that names the limit.': [
    `${AT_ONCE}: a tool that the budget refuses never starts`,
    'test/engine/run/token-caps.test.ts: $title: a cap that is used up is an error that names it and the share of calls',
    'test/engine/run/limits.test.ts: without a step for an answer the run fails and names the limit',
  ],
  'A node cannot catch this and continue.': [`${MODELS} insistentNode`],
  Embeddings: [`${OWN}: embeddings are not counted`],
  'Embeddings are not counted, neither as steps nor as tokens or money: LangChain tells nobody of them.': [
    `${OWN}: embeddings are not counted`,
  ],
  '`runOf(config)?.budget` has `timeLeftMs`, `stepsLeft` and `wrapUp`': [
    `${MODELS} modelCall`,
    'test/engine/run/budget.test.ts: reads the clock and the usage live',
  ],
  'The deadline and a hang-up': [
    HANG_UP,
    `${DEADLINE}: does not wait for a tool that ignores the signal; drops its late result`,
    `${DEADLINE}: returns the text so far, and counts it`,
  ],
  Supersteps: [`${NODES} endlessLoop`],
  'Outside the service': [
    'test/engine/graph-alone.test.ts: the graph works on its own, outside the service, without limits',
  ],
}
