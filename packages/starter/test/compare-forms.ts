/**
 * Asks the tools for what models write, in forms that `packages/starter/test/data/forms.py` draws from a seed, and compares with Python.
 *
 * Run: node packages/starter/test/compare-forms.ts [--count 20000] [--seed 7] [--at FOLDER] [--show KIND]
 * `--at` asks the tools of another copy of the project; `--show` prints what was refused or wrong of a kind, and why.
 */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { FORMS_NOW, formsIn, type Judgement, judge } from './model-forms.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '7' },
    at: { type: 'string', default: '.' },
    show: { type: 'string' },
  },
})
const at = (file: string) => import(pathToFileURL(resolve(values.at, file)).href)
const { guardTool } = await at('packages/engine/tools/guarded-tools.ts')
const { calculator, createTime } = await at('packages/test-support/agent/tools.ts')
const tools = { calculator: guardTool(calculator), time: guardTool(createTime(() => FORMS_NOW)) }

const lines = execFileSync('python3', ['packages/starter/test/data/forms.py', values.count, values.seed], {
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
})
const counts = new Map<string, Record<Judgement, number>>()
for (const form of formsIn(lines)) {
  const [judgement, text] = await judge(form, tools)
  const of = counts.get(form.kind) ?? { right: 0, refused: 0, wrong: 0 }
  of[judgement]++
  counts.set(form.kind, of)
  if (values.show === form.kind && judgement !== 'right') {
    const { expression = JSON.stringify(form.args), value } = form
    process.stdout.write(`${judgement}: ${JSON.stringify(expression)} is ${value}: ${text.split('\n')[0]}\n`)
  }
}
const total = { right: 0, refused: 0, wrong: 0 }
for (const of of counts.values())
  for (const judgement of ['right', 'refused', 'wrong'] as const) total[judgement] += of[judgement]
process.stdout.write('| Form | Right | Refused | Wrong |\n| --- | ---: | ---: | ---: |\n')
for (const [kind, { right, refused, wrong }] of [...counts, ['all', total] as const])
  process.stdout.write(`| ${kind} | ${right} | ${refused} | ${wrong} |\n`)
process.exitCode = total.wrong > 0 ? 1 : 0
