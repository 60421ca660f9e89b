import { MIXED, PACED, SHORT, type Work } from './work.ts'

/** Work that grows in one respect. */
export interface Series {
  readonly name: string
  /** What a task of another size has more of. */
  readonly each: string
  readonly sizes: readonly Sized[]
}

/** One kind of work. */
export interface Kind {
  readonly label: string
  readonly work: Work
  /** Tools offered beside the servers' own. */
  readonly tools?: number
  /** The content type that the caller asks for; absent: JSON. */
  readonly accept?: string
  /** Runs in a batch, enough for a second or so. */
  readonly runs: number
}

/** One size of a series. */
export interface Sized extends Kind {
  readonly size: number
}

/** Those whose slopes docs/reference/performance.md gives. */
export const series: readonly Series[] = [
  {
    name: 'steps',
    each: 'step',
    sizes: [1, 5, 20].map(steps => {
      return {
        size: steps,
        label: `${steps} ${steps === 1 ? 'step' : 'steps'} of a tool`,
        work: { ...SHORT, steps },
        runs: Math.ceil(200 / (steps + 1)),
      }
    }),
  },
  {
    name: 'parallel calls',
    each: 'call beside others',
    sizes: [1, 5, 20].map(calls => {
      return {
        size: calls,
        label: `a step of ${calls} ${calls === 1 ? 'call' : 'calls'}`,
        work: { ...SHORT, calls },
        runs: 60,
      }
    }),
  },
  {
    name: 'pieces together',
    each: 'piece that arrives with others',
    sizes: [5, 500, 2_000].map(pieces => {
      return { size: pieces, label: `${pieces} pieces together`, work: { ...SHORT, pieces }, runs: 40 }
    }),
  },
  {
    name: 'paced pieces',
    each: 'piece 10 ms after the last',
    sizes: [5, 100, 300].map(pieces => {
      const work = { ...SHORT, pieces, pieceMs: 10 }
      return { size: pieces, label: `${pieces} pieces, 10 ms apart`, work, runs: 40 }
    }),
  },
  {
    name: 'watched pieces',
    each: 'piece 10 ms after the last, watched',
    sizes: [5, 100, 300].map(pieces => {
      const work = { ...SHORT, pieces, pieceMs: 10 }
      const label = `${pieces} pieces, 10 ms apart, watched`
      return { size: pieces, label, work, accept: 'text/event-stream', runs: 40 }
    }),
  },
  {
    name: 'tools',
    each: 'tool',
    sizes: [0, 30, 100].map(tools => {
      return { size: tools, label: `${tools} more tools`, work: SHORT, tools, runs: 60 }
    }),
  },
  {
    name: 'results',
    each: 'kB of results',
    sizes: [1, 5, 19].map(resultKb => {
      const work = { ...SHORT, steps: 4, calls: 4, resultKb }
      return { size: 16 * resultKb, label: `${16 * resultKb} kB of results`, work, runs: 20 }
    }),
  },
  {
    name: 'task',
    each: 'kB of the task',
    sizes: [1, 90, 900].map(taskKb => {
      return { size: taskKb, label: `a task of ${taskKb} kB`, work: { ...SHORT, taskKb }, runs: 30 }
    }),
  },
]

/** Tasks as they come. */
export const mixtures: readonly (Kind & { readonly name: string })[] = [
  { name: 'short', label: 'a short task', work: SHORT, runs: 60 },
  { name: 'mixed', label: 'a mixed task', work: MIXED, runs: 30 },
]

/** Tasks that come at the same moment. */
export interface Crowd {
  readonly name: string
  readonly count: number
  readonly work: Work
  /** How long the model takes until it answers, in milliseconds. */
  readonly latencyMs: number
}

export const crowds: readonly Crowd[] = [
  { name: '500 short tasks at once', count: 500, work: SHORT, latencyMs: 500 },
  { name: '1,000 paced at once', count: 1_000, work: PACED, latencyMs: 0 },
]
