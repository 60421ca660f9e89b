import type { IncomingMessage } from 'node:http'
import { SecondAgent } from '../second-agent/agent.ts'
import { answer } from '../second-agent/answer.ts'
import type { Task } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'

const rewording = (change: (text: string, task: Task) => string) =>
  class extends SecondAgent {
    override answer(task: Task) {
      const { text, uses } = super.answer(task)
      return { text: change(text, task), uses }
    }
  }

export const answerFaults: readonly Fault[] = [
  {
    name: 'off-by-one',
    does: 'is off by one in every sum',
    Agent: rewording(text => text.replace(/(?<=answer is )-?\d+/g, number => String(Number(number) + 1))),
    caughtBy: ['result.1', 'result.2', 'result.6', 'result.8'],
  },
  {
    name: 'stale-time',
    does: 'has a clock an hour behind',
    Agent: class extends SecondAgent {
      override answer({ input, tools }: Task) {
        return answer(input, new Date(Date.now() - 60 * 60 * 1000), tools)
      }
    },
    caughtBy: ['result.3'],
  },
  {
    name: 'first-question-only',
    does: 'answers only the first of several questions',
    Agent: rewording(text => text.split('\n')[0] ?? ''),
    caughtBy: ['result.6', 'result.7'],
  },
  {
    name: 'always-the-same',
    does: 'answers 42 whatever it is asked',
    Agent: rewording(() => 'The answer is 42.'),
    caughtBy: [
      'result.1',
      'result.2',
      'result.3',
      'result.4',
      'result.5',
      'result.6',
      'result.7',
      'result.8',
    ],
  },
  {
    name: 'reads-latin-1',
    does: 'reads requests as Latin-1',
    Agent: class extends SecondAgent {
      override async receive(request: IncomingMessage): Promise<string> {
        return Buffer.from(await super.receive(request)).toString('latin1')
      }
    },
    caughtBy: ['run.letters', 'result.3'],
    says: /expected Qxä–東😀Ω<i>&"XQ, got QxÃ¤/,
  },
  {
    name: 'writes-ascii',
    does: 'drops non-ASCII letters from its output',
    Agent: rewording(text => text.replace(/[^\p{ASCII}]/gu, '')),
    caughtBy: ['run.letters'],
    says: /got Qx<i>&"XQ/,
  },
  {
    name: 'writes-three-bytes',
    does: 'replaces characters of more than three bytes with a question mark',
    Agent: rewording(text => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?')),
    only: ['run'],
    caughtBy: ['run.letters'],
    says: /got Qxä–東\?Ω<i>&"XQ/,
  },
  {
    name: 'writes-html',
    does: 'escapes its output for HTML',
    Agent: rewording(text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
    caughtBy: ['run.letters'],
    says: /&lt;i>&amp;/,
  },
  {
    name: 'cuts-output',
    does: 'truncates its output to 100 characters',
    Agent: rewording(text => text.slice(0, 100)),
    caughtBy: ['result.7'],
    says: /expected the number 2329624557678912, got "The answer is 99/,
  },
]
