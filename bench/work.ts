/** What a task makes the model do, told in the task itself. */
export interface Work {
  /** Turns in which the model calls tools, one after the other. */
  readonly steps: number
  /** Calls in each of them. */
  readonly calls: number
  /** Pieces of the answer. */
  readonly pieces: number
  /** Time between two pieces in milliseconds; 0: all arrive together. */
  readonly pieceMs: number
  /** Size of what each call returns, in kB; 0: a calculator's result. */
  readonly resultKb: number
  /** Size of the task, in kB. */
  readonly taskKb: number
}

/** One calculator call, and an answer of five words. */
export const SHORT: Work = { steps: 1, calls: 1, pieces: 5, pieceMs: 0, resultKb: 0, taskKb: 0 }

/** Four turns of two calls with results of 4 kB, and an answer of 200 pieces as fast as models write. */
export const MIXED: Work = { steps: 4, calls: 2, pieces: 200, pieceMs: 10, resultKb: 4, taskKb: 2 }

/** An answer of three seconds. */
export const PACED: Work = { ...SHORT, pieces: 300, pieceMs: 10 }

/** What stands at the end of each answer. */
export const ANSWER = '391'

const LINE = 'Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam nonumy.\n'

/** Text of so many kB. */
export function textOf(kb: number): string {
  return LINE.repeat(Math.ceil((kb * 1000) / LINE.length)).slice(0, kb * 1000)
}

/** The task, as a server gets it. The short one is a question that the offline model can answer, too. */
export function inputFor(work: Work): string {
  const question = 'What is 17*23?'
  return work === SHORT ? question : `${question} ${JSON.stringify(work)}\n${textOf(work.taskKb)}`
}

/** The work that a task asks for. */
export function workIn(input: string): Work {
  const end = input.indexOf('}') + 1
  return end === 0 ? SHORT : JSON.parse(input.slice(input.indexOf('{'), end))
}

/** Model calls and tool calls. */
export function stepsOf({ steps, calls }: Work): number {
  return steps * (1 + calls) + 1
}
