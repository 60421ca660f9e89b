import { html } from 'hono/html'
import type { Report, TaskResult } from './report.ts'
import { FIGURES, heading } from './report-text.ts'

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; font-size: .85em }
.wide { overflow-x: auto }
`
const WORDS = { pass: '✓ pass', fail: '✗ fail', unsteady: '~ unsteady', not_served: '– not served' }

/** The report as one page without scripts. Escapes whatever an agent said. */
export async function toHtml({ startedAt, repeat, summaries, tasks }: Report): Promise<string> {
  const names = summaries.map(({ name }) => html`<th scope="col">${name}</th>`)
  const figures = FIGURES.map(
    ({ name, of }) =>
      html`<tr><th scope="row">${name}</th>${summaries.map(one => html`<td>${of(one)}</td>`)}</tr>`,
  )
  const rows = tasks.map(
    ({ name, input, results }) =>
      html`<tr><th scope="row">${name}<pre>${input}</pre></th>${results.map(cell)}</tr>`,
  )
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Evaluation</title><style>${STYLE}</style></head>
<body>
<h1>Evaluation</h1>
<p>${heading({ tasks, repeat })}, ${startedAt}</p>
<div class="wide"><table><thead><tr><th scope="col">Figure</th>${names}</tr></thead><tbody>${figures}</tbody></table></div>
<h2>Tasks</h2>
<div class="wide"><table><thead><tr><th scope="col">Task</th>${names}</tr></thead><tbody>${rows}</tbody></table></div>
</body>
</html>
`
  return String(await page)
}

function cell({ verdict, passed, runs, problems, output }: TaskResult) {
  const wrong = problems.map(problem => html`<pre>${problem}</pre>`)
  return html`<td>${WORDS[verdict]} (${passed} of ${runs})${wrong}<details><summary>Last answer</summary><pre>${output}</pre></details></td>`
}
