// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in mcp.json look like templates

import { SetupError } from '@agent-task-service/engine/config'
import { mcpFile, mcpFileWith } from '@agent-task-service/test-support/mcp/service'
import { readConfig } from '@agent-task-service/test-support/read-config'
import { expect, test } from 'vitest'

/** Problems in a file, without its path. */
async function problemsOf(content: unknown, variables: Record<string, string> = {}): Promise<string[]> {
  const path = await mcpFileWith(content)
  try {
    readConfig({ ...variables, MCP_CONFIG: path })
  } catch (error) {
    expect(error).toBeInstanceOf(SetupError)
    const [, ...lines] = (error as Error).message.split('\n')
    for (const line of lines) expect(line).toContain(`  MCP_CONFIG: ${path}: `)
    return lines.map(line => line.replace(`  MCP_CONFIG: ${path}: `, ''))
  }
  return []
}

// EVIDENCE-OF docs/configuration.md: | `MCP_CONFIG` |
test('accepts programs and addresses, as other MCP clients write them', async () => {
  const path = await mcpFile({
    files: {
      command: 'npx',
      args: ['-y', 'files', '/data'],
      env: { A: 'b' },
      cwd: '/tmp',
      envFile: '${folder}/.env',
    },
    plain: { type: 'stdio', command: 'mcp' },
    web: { url: 'https://example.com/mcp', headers: { 'X-Team': 'a b' } },
    typed: { type: 'streamable-http', url: 'http://localhost:1/mcp' },
  })
  const { moreTools, secrets } = readConfig({ MCP_CONFIG: path })
  expect(moreTools[0]?.settings).toEqual([
    {
      transport: 'stdio',
      name: 'files',
      command: 'npx',
      args: ['-y', 'files', '/data'],
      env: { A: 'b' },
      cwd: '/tmp',
    },
    { transport: 'stdio', name: 'plain', command: 'mcp', args: [], env: {} },
    { transport: 'http', name: 'web', url: 'https://example.com/mcp', headers: { 'X-Team': 'a b' } },
    { transport: 'http', name: 'typed', url: 'http://localhost:1/mcp', headers: {} },
  ])
  expect(secrets).toEqual([])
})

test('a variable that the file refers to is no misspelt one', async () => {
  const path = await mcpFile({ shop: { url: 'http://localhost/mcp', headers: { 'x-key': '${SHOP_KEY}' } } })
  const read = (variables: Record<string, string>) =>
    readConfig({ ...variables, SHOP_KEY: 'key-1' }, ['SHOP_API_KEY'])
  expect(() => read({})).toThrow('SHOP_KEY: unknown; did you mean SHOP_API_KEY?')
  expect(read({ MCP_CONFIG: path }).misspelt).toEqual([])
})

test('fills in variables in any value, and treats them as secrets from then on', async () => {
  const path = await mcpFile({
    files: {
      tools: ['${TEAM}_*'],
      command: '${BIN}/mcp',
      args: ['--key=${KEY}', '${KEY}-${TEAM}'],
      env: { TOKEN: '${KEY}' },
    },
    web: { url: 'https://example.com/${TEAM}', headers: { Authorization: 'Bearer ${TOKEN}' } },
  })
  const variables = { BIN: '/opt/bin', KEY: ' key-1 ', TEAM: 'team', TOKEN: 'token-1', OTHER: 'other' }
  const { moreTools, secrets } = readConfig({ ...variables, MCP_CONFIG: path })
  expect(moreTools[0]?.settings).toMatchObject([
    {
      tools: ['team_*'],
      command: '/opt/bin/mcp',
      args: ['--key=key-1', 'key-1-team'],
      env: { TOKEN: 'key-1' },
    },
    { url: 'https://example.com/team', headers: { Authorization: 'Bearer token-1' } },
  ])
  expect(secrets).toEqual(['/opt/bin', 'key-1', 'team', 'token-1'])
})

test.each<[content: unknown, problems: string[]]>([
  ['{"mcpServers": {"a": {"command": "hunter2"', ['expected JSON, got something else']],
  ['', ['expected JSON, got something else']],
  [{}, ['mcpServers: expected an object with a member for each server']],
  [{ mcpServers: { a: 'hunter2' } }, ['mcpServers.a: expected an object']],
  [{ mcpServers: { a: {} } }, ['mcpServers.a: expected either a command or a url, got neither']],
  [
    { mcpServers: { a: { command: 'a', url: 'http://b' } } },
    ['mcpServers.a: expected either a command or a url, got both'],
  ],
  [
    { mcpServers: { a: { command: 'a', tools: 'hunter2' }, b: { url: 'http://b', tools: [7] } } },
    [
      'mcpServers.a.tools: expected array, received string',
      'mcpServers.b.tools.0: expected string, received number',
    ],
  ],
  [{ mcpServers: { a: { command: '' } } }, ['mcpServers.a.command: expected a program, got an empty string']],
  [
    { mcpServers: { a: { command: 'a', args: 'hunter2', env: { B: 7 }, cwd: null } } },
    [
      'mcpServers.a.args: expected array, received string',
      'mcpServers.a.env.B: expected string, received number',
      'mcpServers.a.cwd: expected string, received null',
    ],
  ],
  [
    { mcpServers: { a: { url: 'http://b', type: 'sse' } } },
    [
      'mcpServers.a.type: expected "http" (streamable HTTP; SSE alone is not supported), since there is a url',
    ],
  ],
  [
    { mcpServers: { a: { url: 'https://user:hunter2@b' }, c: { url: 'b' } } },
    ['a', 'c'].map(
      name =>
        `mcpServers.${name}.url: expected an http(s) URL without credentials, got something else (not shown)`,
    ),
  ],
  [
    { mcpServers: { a: { url: 'http://b', headers: { Key: 'hunter2\n' } } } },
    [
      'mcpServers.a.headers.Key: expected a JSON object of HTTP header names and values in ASCII, got something else (not shown)',
    ],
  ],
  [
    { mcpServers: { a: { command: 'a', env: { KEY: '${NO_SUCH}', BLANK: '${BLANK}' } } } },
    [
      'mcpServers.a.env.KEY: expected the environment variable NO_SUCH, got nothing',
      'mcpServers.a.env.BLANK: expected the environment variable BLANK, got nothing',
    ],
  ],
  [
    { mcpServers: { a: { command: 'a', args: ['${KEY:-hunter2}', '${input:key}', '${', '${KEY'] } } },
    [0, 1, 2, 3].map(
      n => `mcpServers.a.args.${n}: expected a variable name in the braces, got something else`,
    ),
  ],
])('refuses %j, in a line that shows no value', async (content, problems) => {
  const found = await problemsOf(content, { BLANK: ' ', KEY: 'hunter2' })
  expect(found).toEqual(problems)
  expect(found.join()).not.toContain('hunter2')
})

test("reports the file's problems together with all others", async () => {
  const path = await mcpFile({ a: {} })
  expect(() => readConfig({ MCP_CONFIG: path, LOG_LEVEL: 'loud' })).toThrow(
    /LOG_LEVEL: expected.*\n {2}MCP_CONFIG: .*mcpServers\.a: expected either/,
  )
})
