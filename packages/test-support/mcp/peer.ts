/** The server side of MCP, written by hand so that it can misbehave. */
export interface Peer {
  /** Speaks the protocol of 2026-07-28 alone; absent: an older one. */
  readonly isNew?: boolean
  /** Result of `tools/list` for a cursor; absent: lists the tool `echo`. */
  readonly list?: (cursor: string | undefined) => unknown
  /** Result of `tools/call`; absent: the arguments as text. A thrown error becomes a JSON-RPC error. */
  readonly call?: (name: string, args: Record<string, unknown>, meta: unknown) => unknown
  /** Over HTTP: never answers the request to end a session. */
  readonly neverEnds?: boolean
  /** Over HTTP: never answers any request. */
  readonly isSilent?: boolean
  /** Called with each incoming message. */
  readonly onMessage?: (message: Message) => void
}

export interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
}

/** A tool as servers list it. */
export function listed(name: string, inputSchema: unknown = { type: 'object', properties: {} }) {
  return { name, description: `Does ${name}.`, inputSchema }
}

export function text(words: string) {
  return { content: [{ type: 'text', text: words }] }
}

/** The reply to a message; `undefined` if it needs none, as a notification, or a reply to what the peer asked. */
export async function answer(peer: Peer, message: Message): Promise<object | undefined> {
  peer.onMessage?.(message)
  const { id, method, params = {} } = message
  if (id === undefined || method === undefined) return undefined
  try {
    const result = await resultOf(peer, method, params)
    return {
      jsonrpc: '2.0',
      id,
      result: peer.isNew ? { resultType: 'complete', ...(result as object) } : result,
    }
  } catch (error) {
    return {
      jsonrpc: '2.0',
      id,
      error: { code: (error as { code?: number }).code ?? -32603, message: (error as Error).message },
    }
  }
}

async function resultOf(peer: Peer, method: string, params: Record<string, unknown>): Promise<unknown> {
  const { protocolVersion, cursor, name, arguments: args, _meta } = params
  switch (method) {
    case 'server/discover':
      return peer.isNew ? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } : {}
    case 'initialize':
      if (peer.isNew) throw new Error('there is no initialize')
      return {
        protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'peer', version: '1' },
      }
    case 'tools/list':
      return (await peer.list?.(cursor as string | undefined)) ?? { tools: [listed('echo')] }
    case 'tools/call':
      return (
        (await peer.call?.(name as string, args as Record<string, unknown>, _meta)) ??
        text(JSON.stringify(args))
      )
    default:
      return {}
  }
}
