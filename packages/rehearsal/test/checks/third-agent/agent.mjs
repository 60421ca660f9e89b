/**
 * A typical agent: a framework's pages as refusals, prose as answers, one step for everything, no tools and no limit of
 * its own. It needs only Node. Its argument is its port: 8080.
 */
import { createServer } from 'node:http'

const PAGE = (code, name) => `<!doctype html>
<html lang=en>
<title>${code} ${name}</title>
<h1>${name}</h1>
<p>The browser (or proxy) sent a request that this server could not understand.</p>
`
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const ZONES = { Tokyo: 'Asia/Tokyo', 'São Paulo': 'America/Sao_Paulo', Reykjavík: 'Atlantic/Reykjavik' }
const SUM = /(-?[\d.]+) ?(\*|times|plus|\+|minus|-|divided by|\/) ?(-?[\d.]+)/
const WORDS = /[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu

class Page extends Error {
  constructor(code, name) {
    super(name)
    this.code = code
  }
}

function compute([, left, sign, right]) {
  const [a, b] = [Number(left), Number(right)]
  if (sign === '*' || sign === 'times') return a * b
  if (sign === '+' || sign === 'plus') return a + b
  return sign === '-' || sign === 'minus' ? a - b : a / b
}

/** One question, in a sentence; undefined if this agent does not know it. */
function answer(question) {
  const said = /^repeat\b[^:]*: (.+)$/is.exec(question)?.[1]
  if (said) return `Of course! You said: ${said}`
  const place = Object.keys(ZONES).find(name => question.includes(name))
  if (place) {
    const time = new Date().toLocaleTimeString('en-GB', { timeZone: ZONES[place] })
    return `Right now the clocks in ${place} show ${time}.`
  }
  const [, date] = /day of the week was (.+?)\??$/i.exec(question) ?? []
  if (date) return `That was a ${DAYS[new Date(`${date} 12:00 UTC`).getUTCDay()]}, if I am not mistaken.`
  const [, percent, whole] = /([\d.]+)% of ([\d.]+)/.exec(question) ?? []
  if (percent) return `Sure, ${percent}% of ${whole} comes to ${(percent * whole) / 100}.`
  const [, radicand] = /square root of (\d+)/.exec(question) ?? []
  if (radicand) return `The root you are looking for is ${Math.sqrt(radicand)}.`
  const sum = SUM.exec(question)
  return sum ? `That works out at ${compute(sum)}.` : undefined
}

function perform(input, { max_tokens: cap = Number.POSITIVE_INFINITY }) {
  const questions = input.split(/(?<=\?) /)
  const said = questions.map(answer)
  const text = said.includes(undefined)
    ? "I'm afraid I can't help with that one. Is there something else you would like to know?"
    : said.join(' ')
  const last = [...text.matchAll(WORDS)].slice(0, cap).at(-1)
  return text.slice(0, last.index + last[0].length)
}

function run(headers, body) {
  const startedAt = performance.now()
  if (!/^application\/json\b/.test(headers['content-type'] ?? ''))
    throw new Page(415, 'Unsupported Media Type')
  let task
  try {
    task = JSON.parse(body)
  } catch {
    throw new Page(400, 'Bad Request')
  }
  const { task_id, input, config } = Object(task)
  const isTask = typeof task_id === 'string' && typeof input === 'string' && input.trim() !== ''
  if (!isTask || (config !== undefined && (typeof config !== 'object' || config === null)))
    throw new Page(400, 'Bad Request')
  const { system_prompt = '', max_tokens = 1 } = config ?? {}
  if (typeof system_prompt !== 'string' || !(Number.isInteger(max_tokens) && max_tokens > 0))
    throw new Page(422, 'Unprocessable Entity')
  const output = perform(input.trim(), config ?? {})
  const metrics = {
    duration_sec: (performance.now() - startedAt) / 1000,
    input_tokens: `${system_prompt} ${input}`.match(WORDS).length,
    output_tokens: output.match(WORDS)?.length ?? 0,
    steps: 2,
  }
  return { task_id, status: 'success', output, metrics }
}

const server = createServer(async (request, response) => {
  const send = (code, type, body) => response.writeHead(code, { 'Content-Type': type }).end(body)
  try {
    const body = Buffer.concat(await request.toArray()).toString()
    const path = request.url.split('?')[0]
    if (path !== '/run' && path !== '/health') throw new Page(404, 'Not Found')
    if (request.method !== (path === '/run' ? 'POST' : 'GET')) throw new Page(405, 'Method Not Allowed')
    const health = { status: 'ok', agent_id: 'agent-12', agent_name: 'Chatty' }
    const reply = path === '/health' ? health : run(request.headers, body)
    process.stderr.write(`${request.socket.remoteAddress} - - "${request.method} ${path}" 200 -\n`)
    send(200, 'application/json', JSON.stringify(reply))
  } catch (error) {
    const [code, name] = error instanceof Page ? [error.code, error.message] : [500, 'Internal Server Error']
    process.stderr.write(`${request.socket.remoteAddress} - - "${request.method}" ${code} -\n`)
    send(code, 'text/html; charset=utf-8', PAGE(code, name))
  }
})
server.listen(Number(process.argv[2] ?? 8080), '0.0.0.0')
process.once('SIGTERM', () => process.exit(0))
