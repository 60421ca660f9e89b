import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { SearchSettings } from '@agent-task-service/starter/web-search/settings'
import type { Web, WebPage } from './page.ts'
import { indexOf, MATCHING } from './page-index.ts'
import type { ServedWeb } from './web-server.ts'

const KEY = 'key-of-this-test'

/** Servers over a web's index that speak as Tavily, Brave and Wikipedia document. */
export async function startEngines(
  web: Web,
  served: ServedWeb,
): Promise<{ engines: SearchSettings['engines']; close(): void }> {
  const index = indexOf(web, served)
  const matching = index.prepare(`${MATCHING} LIMIT 5`)
  const byAddress = new Map(web.pages.map(page => [served.addressOf(page), page]))
  const find = (query: string): [string, WebPage][] => {
    const words = query.match(/[\p{L}\p{N}]+/gu)?.map(word => `"${word}"`) ?? []
    return matching.all({ words: words.join(' OR ') }).map(({ url }) => [`${url}`, byAddress.get(`${url}`)!])
  }
  const byTitle = new Map(web.pages.map(page => [titleOf(page), page]))

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const asked = (name: string) => searchParams.get(name) ?? ''
    const body = await (async () => {
      if (pathname === '/search') return tavilyReply(find(await queryIn(request)))
      if (pathname === '/res/v1/llm/context') return braveReply(asked('q'), find(asked('q')))
      if (asked('action') === 'parse') return { parse: { text: byTitle.get(asked('page'))?.content } }
      return wikipediaReply(find(asked('gsrsearch')))
    })()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    engines: [
      { provider: 'tavily', url, apiKey: KEY },
      { provider: 'brave', url, apiKey: KEY },
      { provider: 'wikipedia', url },
    ],
    close() {
      server.close()
      server.closeAllConnections()
      index.close()
    },
  }
}

async function queryIn(request: IncomingMessage): Promise<string> {
  const { query } = (await json(request)) as { query: string }
  return query
}

/** Each page's text is included, as Markdown. */
function tavilyReply(found: [string, WebPage][]): object {
  return {
    results: found.map(([url, { title, snippet, content }]) => ({
      ...{ title, url, content: snippet, score: 0.5, raw_content: markdownOf(content) },
    })),
  }
}

/** The engine chooses passages: here, the paragraphs and rows with most words of the query. */
function braveReply(query: string, found: [string, WebPage][]): object {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const countIn = (text: string) => words.filter(word => text.toLowerCase().includes(word)).length
  const generic = found.map(([url, { title, content }]) => {
    const pieces = markdownOf(content).split('\n\n').flatMap(piecesOf)
    const best = pieces.toSorted((one, other) => countIn(other) - countIn(one))
    return { url, title, snippets: best.slice(0, 12) }
  })
  return { grounding: { generic, map: [] }, sources: {} }
}

/** Rows of a table, each below its header. */
function piecesOf(text: string): string[] {
  const [head, dashes, ...rows] = text.split('\n')
  return dashes?.startsWith('|') ? rows.map(row => `${head}\n${row}`) : [text]
}

function wikipediaReply(found: [string, WebPage][]): object {
  const pages = found.map(([url, page], at) => ({
    ...{ ns: 0, title: titleOf(page), index: at + 1, extract: page.snippet, fullurl: url },
  }))
  return { batchcomplete: true, query: { pages } }
}

/** No two articles in a wiki share a title. */
function titleOf({ title, path }: WebPage): string {
  return `${title} (${path.slice(1)})`
}

function markdownOf(html: string): string {
  return html
    .replace(
      /<tr>(.*?)<\/tr>/g,
      (_, cells: string) => `${cells.replace(/<t[hd][^>]*>(.*?)<\/t[hd]>/g, '| $1 ')}|\n`,
    )
    .replace(
      /<table[^>]*>(?:<caption>(.*?)<\/caption>)?(.*?)<\/table>/gs,
      (_, caption: string = '', rows: string) => {
        const [head = '', ...others] = rows
          .replace(/<[^>]+>/g, '')
          .trim()
          .split('\n')
        return `\n\n${caption}\n\n${head}\n${head.replace(/[^|]+/g, ' --- ')}\n${others.join('\n')}\n\n`
      },
    )
    .replace(
      /<h(\d)>(.*?)<\/h\d>/g,
      (_, level: string, text: string) => `\n\n${'#'.repeat(Number(level))} ${text}\n\n`,
    )
    .replace(/<li>/g, '\n- ')
    .replace(/<\/p>|<div class="post">/g, '\n\n')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
