import { html } from 'hono/html'
import { type Report, resultBefore, type TaskResult } from './report.ts'
import { columnsOf, FIGURES, heading, money, WORDS } from './report-text.ts'

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; font-size: .85em }
.wide { overflow-x: auto }
`
const MARKS = { pass: '✓', fail: '✗', unsteady: '~', not_served: '–' }

/** The report as one page without scripts. Escapes whatever an agent said. */
export async function toHtml(report: Report, earlier?: Report): Promise<string> {
  const { startedAt, summaries, tasks } = report
  const columns = columnsOf(report, earlier)
  const heads = (all: readonly { readonly name: string }[]) =>
    all.map(({ name }) => html`<th scope="col">${name}</th>`)
  const figures = FIGURES.map(
    ({ name, of }) =>
      html`<tr><th scope="row">${name}</th>${columns.map(one => html`<td>${of(one)}</td>`)}</tr>`,
  )
  const rows = tasks.map(
    task =>
      html`<tr><th scope="row">${task.name}<pre>${task.input}</pre></th>${task.results.map((result, index) =>
        cell(result, resultBefore(earlier, task, summaries[index]!.name)),
      )}</tr>`,
  )
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Evaluation</title><style>${STYLE}</style></head>
<body>
<h1>Evaluation</h1>
<p>${startedAt}: ${heading(report, earlier)}</p>
<div class="wide"><table><thead><tr><th scope="col">Figure</th>${heads(columns)}</tr></thead><tbody>${figures}</tbody></table></div>
<h2>Tasks</h2>
<div class="wide"><table><thead><tr><th scope="col">Task</th>${heads(summaries)}</tr></thead><tbody>${rows}</tbody></table></div>
</body>
</html>
`
  return String(await page)
}

function cell(result: TaskResult, before: TaskResult | undefined) {
  const { problems, output, cost } = result
  const wrong = problems.map(problem => html`<pre>${problem}</pre>`)
  const isOther = before && verdictOf(before) !== verdictOf(result)
  const was = isOther ? html`<br>before: ${verdictOf(before)}` : ''
  return html`<td>${verdictOf(result)}<br>cost ${money(cost)}${was}${wrong}<details><summary>Last answer</summary><pre>${output}</pre></details></td>`
}

function verdictOf({ verdict, passed, runs }: TaskResult): string {
  return `${MARKS[verdict]} ${WORDS[verdict]} (${passed} of ${runs})`
}
