import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Web } from './page.ts'
import { indexOf, MATCHING } from './page-index.ts'
import type { ServedWeb } from './web-server.ts'

/** Debian's searx over a web's index: a real search server that sees nothing else. */
export async function startSearxng(
  web: Web,
  served: ServedWeb,
): Promise<{ url: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'searx-'))
  const file = join(folder, 'web.db')
  indexOf(web, served, file).close()
  const query = MATCHING.replace(':words', `'"' || replace(replace(:query, '"', ''), ' ', '" OR "') || '"'`)
  const settings = {
    general: { debug: false, instance_name: 'test' },
    search: { safe_search: 0, autocomplete: '', default_lang: 'en', formats: ['html', 'json'] },
    server: {
      port: 0,
      bind_address: '127.0.0.1',
      secret_key: 'of-this-test',
      base_url: false,
      image_proxy: false,
      http_protocol_version: '1.0',
      method: 'GET',
      default_http_headers: {},
    },
    ui: {
      static_path: '/usr/share/python3-searx/static',
      templates_path: '/usr/share/python3-searx/templates',
      default_theme: 'oscar',
      default_locale: '',
      theme_args: { oscar_style: 'logicodev' },
    },
    outgoing: {
      request_timeout: 2.0,
      useragent_suffix: '',
      pool_connections: 10,
      pool_maxsize: 10,
      enable_http2: false,
    },
    engines: [
      {
        name: 'web',
        engine: 'sqlite',
        shortcut: 'web',
        database: file,
        query_str: query,
        categories: 'general',
        result_template: 'default.html',
      },
    ],
    locales: { en: 'English' },
    doi_resolvers: { 'oadoi.org': 'https://oadoi.org/' },
    default_doi_resolver: 'oadoi.org',
  }
  // JSON is YAML.
  writeFileSync(join(folder, 'settings.yml'), JSON.stringify(settings))
  const server: ChildProcess = spawn('searx-run', {
    env: { PATH: process.env.PATH, SEARX_SETTINGS_PATH: join(folder, 'settings.yml') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    server.stderr?.on('data', piece => {
      said += piece
      const [, address] = /Running on (http:\S+)/.exec(said) ?? []
      if (address) resolve(address)
    })
    server.once('exit', () => reject(new Error(`searx ended: ${said}`)))
  })
  return {
    url,
    async close() {
      const ended = once(server, 'exit')
      server.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}
