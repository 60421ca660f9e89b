import type { Message } from './peer.ts'

/** Replies as text, by method, or by the name of the tool that is called; `"$id"` stands for the request's id, `"$text"` for it as a text. */
export type Templates = Readonly<Record<string, string>>

/** The reply to a message, whatever it is; `undefined` if it needs none. */
export function answerOf(templates: Templates, { id, method, params }: Message): string | undefined {
  if (id === undefined || method === undefined) return undefined
  const name = method === 'tools/call' ? String(params?.name) : method
  const template =
    templates[name] ?? '{"jsonrpc":"2.0","id":"$id","error":{"code":-32601,"message":"unknown"}}'
  return template.replaceAll('"$id"', JSON.stringify(id)).replaceAll('"$text"', JSON.stringify(String(id)))
}
