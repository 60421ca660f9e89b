import http from 'node:http'
import https from 'node:https'

/**
 * The operator's proxy, which everything but the hosts allowed by name goes through. It resolves the names, and so decides
 * what can be reached.
 */
export class WebProxy {
  readonly #direct: readonly string[]
  readonly #plain: http.Agent
  readonly #secure: https.Agent

  /**
   * @param direct hosts that are reached without it
   */
  constructor(url: string, direct: readonly string[]) {
    const proxyEnv = { HTTP_PROXY: url, HTTPS_PROXY: url }
    this.#direct = direct
    this.#plain = new http.Agent({ proxyEnv })
    this.#secure = new https.Agent({ proxyEnv })
  }

  /** Sends requests to this URL through the proxy; `undefined`: it is to be reached without. */
  agentFor({ protocol, hostname }: URL): http.Agent | undefined {
    if (this.#direct.includes(hostname.replace(/\.+$/, ''))) return undefined
    return protocol === 'https:' ? this.#secure : this.#plain
  }
}
