/** A program: an MCP server that answers each line with the text of {@link answerOf}; its first argument has the templates as JSON. */
import { createInterface } from 'node:readline'
import { answerOf } from './templates.ts'

const templates = JSON.parse(process.argv[2]!)
createInterface({ input: process.stdin }).on('line', line => {
  const answer = answerOf(templates, JSON.parse(line))
  if (answer !== undefined) process.stdout.write(`${answer}\n`)
})
