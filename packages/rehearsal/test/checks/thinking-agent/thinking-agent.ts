import { Random } from '@agent-task-service/test-support/random'
import { answer, CannotAnswer } from '../second-agent/answer.ts'
import { Refusal, type Task } from '../second-agent/request.ts'
import { type Call, type Outcome, pause, SecondAgent } from '../second-agent/second-agent.ts'
import { cut, tokensIn } from '../second-agent/tokens.ts'
import { framed, worded } from './wording.ts'

/** What a tool's description costs. */
const SCHEMA_TOKENS = 40
const OBEYS = /begin and end every answer with the word (\w+)/i

/** An outcome, with what its model calls cost. */
interface Thought extends Outcome {
  readonly read: number
  readonly written: number
}

/** A run in progress. */
interface Work {
  readonly random: Random
  /** Read by the next model call. */
  context: number
  read: number
  written: number
  modelCalls: number
  toolCalls: number
  /** How many tokens its next model call may generate. */
  readonly left: (work: Work, isVisible: boolean) => number
}

/** What a cap holds for. */
const CAPS: readonly ((cap: number) => Work['left'])[] = [
  cap => work => cap - work.written,
  // Some providers take none below 16.
  cap => work => Math.max(16, cap) - work.written,
  // Of each call.
  cap => () => cap,
  // Of the answer alone.
  cap => (_work, isVisible) => (isVisible ? cap : Number.POSITIVE_INFINITY),
]

/**
 * An agent that does every task as a language model does: in other words each time, with tool calls in another number and
 * order, beside each other or not, in more or fewer model calls, at another cost, and never wrong. What one process always
 * does, such as how it counts steps, it draws from the seed too.
 */
export const thinkingAgent = (seed: number): typeof SecondAgent =>
  class extends SecondAgent {
    readonly #random = new Random(seed)
    readonly #counts = this.#random.pick(['calls', 'model calls', 'tool calls'])
    readonly #refusesUnknownTools = this.#random.happens(0.5)
    readonly #cap = this.#random.pick(CAPS)
    readonly #declines = this.#random.pick(['success', 'error'] as const)

    override read(call: Call): Task {
      const task = super.read(call)
      const names: string[] = JSON.parse(call.body).config?.enabled_tools ?? []
      const unknown = names.find(name => !task.tools.has(name))
      if (unknown !== undefined && this.#refusesUnknownTools)
        throw new Refusal(422, `no such tool: ${unknown.slice(0, 40)}`, task.id)
      return task
    }

    override async perform(task: Task): Promise<Thought> {
      const random = new Random(this.#random.whole(0, 2 ** 31))
      const { thinkMs } = this.settings
      if (thinkMs > 0) await pause(thinkMs * (0.6 + 0.8 * random.next()))
      const work: Work = {
        random,
        context: contextOf(task),
        read: 0,
        written: 0,
        modelCalls: 0,
        toolCalls: 0,
        left: this.#cap(task.maxTokens ?? Number.POSITIVE_INFINITY),
      }
      if (this.isStalled) return this.#outcome('timeout', '', work)
      const { lines, uses, isDeclined } = solve(task, random)
      const isUsedUp = !callTools(work, uses) || work.left(work, true) <= 0
      if (isUsedUp && random.happens(0.5)) return this.#outcome('error', 'max_tokens is used up', work)
      if (isDeclined && this.#declines === 'error') return this.#outcome('error', lines.join(' '), work)
      if (isUsedUp) return this.#outcome('success', '', work)
      const said = cut(obeying(task, framed(lines, random)), work.left(work, true))
      callModel(work, tokensIn(said))
      return this.#outcome('success', said, work)
    }

    #outcome(
      status: Outcome['status'],
      text: string,
      { read, written, modelCalls, toolCalls }: Work,
    ): Thought {
      const steps = {
        calls: modelCalls + toolCalls,
        'model calls': modelCalls,
        'tool calls': 1 + toolCalls,
      }[this.#counts]!
      return { status, text, steps: Math.max(1, steps), read, written }
    }

    override metrics(task: Task, outcome: Outcome, call: Call) {
      const { read, written } = outcome as Thought
      return { ...super.metrics(task, outcome, call), input_tokens: read, output_tokens: written }
    }
  }

export function obeying({ systemPrompt }: Task, text: string): string {
  const marker = OBEYS.exec(systemPrompt)?.[1]
  return marker === undefined ? text : `${marker} ${text} ${marker}`
}

function contextOf({ systemPrompt, input, tools }: Task): number {
  return tokensIn(systemPrompt) + tokensIn(input) + SCHEMA_TOKENS * tools.size
}

function callModel(work: Work, tokens: number): void {
  work.modelCalls += 1
  work.read += work.context
  work.written += tokens
  work.context += tokens
}

/** Calls tools, some of them beside each other. @returns whether the cap left enough for that */
function callTools(work: Work, uses: number): boolean {
  const { random } = work
  // A model checks a result now and then, or thinks first.
  let due = uses > 0 && random.happens(0.2) ? uses + 1 : uses
  if (random.happens(0.15)) work.context += random.whole(5, 60)
  while (due > 0) {
    const beside = random.happens(0.5) ? due : random.whole(1, due)
    const tokens = random.whole(0, 30) + beside * random.whole(12, 25)
    const most = work.left(work, false)
    callModel(work, Math.min(tokens, most))
    if (tokens > most) return false
    work.toolCalls += beside
    work.context += beside * random.whole(8, 20)
    due -= beside
  }
  const thoughts = random.whole(3, 20)
  if (random.happens(0.1) && thoughts < work.left(work, false)) callModel(work, thoughts)
  return true
}

/** What it says to each question that it understands, and how many tools that takes. */
function solve(task: Task, random: Random) {
  const said = /^repeat\b[^:]*: (.+)$/is.exec(task.input.trim())?.[1]
  if (said !== undefined && random.happens(0.95)) return { lines: [said], uses: 0, isDeclined: false }
  const text = task.input.replace(/\s+/g, ' ').trim()
  const questions = text
    .split(/(?<=[.?!]) (?=[A-Z])|, and (?=what|how)/)
    .map(one => one.replace(/[?.!]$/, ''))
  // Sums can be done without a calculator, if they are easy.
  const inHead = random.happens(0.3)
  const parts = questions.map(question => solveOne(question, task, inHead)).filter(part => part !== undefined)
  const needed = parts.find(({ why }) => why !== undefined)?.why
  const declined = (why: string) => ({ lines: [why], uses: 0, isDeclined: true })
  if (needed !== undefined)
    return declined(random.pick([needed, `I am sorry. ${needed}`, `Not possible: ${needed}`]))
  if (parts.length === 0)
    return declined(random.pick(['I cannot help with that one.', 'None that I know of.', 'I do not know.']))
  const lines = parts.map(({ line }) => worded(line!, random))
  return {
    lines: random.happens(0.2) ? lines.toReversed() : lines,
    uses: parts.filter(({ usesTool }) => usesTool).length,
    isDeclined: false,
  }
}

interface Part {
  readonly line?: string
  readonly usesTool: boolean
  /** Why it is not answered. */
  readonly why?: string
}

/** @returns undefined for what is no question that it knows */
function solveOne(question: string, { tools }: Task, inHead: boolean): Part | undefined {
  const now = new Date()
  try {
    return { line: answer(question, now, tools).text, usesTool: true }
  } catch (error) {
    if (!(error instanceof CannotAnswer)) throw error
    if (!error.message.startsWith('This needs')) return undefined
    const isEasy = inHead && error.message.includes('calculator') && !/root/.test(question)
    if (isEasy) return { line: answer(question, now, new Set(['calculator'])).text, usesTool: false }
    return { usesTool: false, why: error.message }
  }
}
