const request = (method: string) => (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method })
const notification = (method: string, params: object = {}) => {
  const text = JSON.stringify({ jsonrpc: '2.0', method, params })
  return () => text
}

/** What a hostile server may send without end, by its kind: the text of each message. */
export const FLOODS: Readonly<Record<string, (id: number) => string>> = {
  pings: request('ping'),
  'requests that nobody knows': request('what/is/this'),
  'changes of the list': notification('notifications/tools/list_changed'),
  'log messages': notification('notifications/message', { level: 'info', data: 'Hello' }),
  'large log messages': notification('notifications/message', {
    level: 'info',
    data: Array(100_000).fill({}),
  }),
  'news of unknown progress': notification('notifications/progress', { progressToken: 7, progress: 1 }),
  'replies to nothing': id => JSON.stringify({ jsonrpc: '2.0', id: 1_000_000 + id, result: {} }),
  'lines that are no JSON': () => 'Hello there',
  'lines that are no messages': () => '{"nor": "JSON-RPC"}',
  'empty lines': () => '',
}
