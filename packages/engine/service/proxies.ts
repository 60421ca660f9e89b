import http from 'node:http'
import { setProxies } from '@agent-task-service/openai-compatible/http-client'
import type { Proxies } from '../agent/observe.ts'

/**
 * Sends the requests of the process through proxies: those of the chat class for OpenAI-compatible endpoints, and all that use
 * `fetch` or Node's own agents, as other chat classes, LangSmith and MCP do. `web_search` has agents of its own.
 *
 * @returns a function that undoes it
 */
export function useProxies(proxies: Proxies): () => void {
  setProxies(proxies)
  const restore = http.setGlobalProxyFromEnv({ ...proxies })
  return () => {
    setProxies(undefined)
    restore()
  }
}
