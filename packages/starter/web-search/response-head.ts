import { maxHeaderSize } from 'node:http'
import type { Socket } from 'node:net'

const FIELD = /^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7E\x80-\xFF]*$/

/**
 * Has the response on a socket begin with a head that Node's parser accepts, as browsers do: lines may end with a line feed
 * alone, and a line that is no header field is left out.
 *
 * For a connection with one response: another might begin where its server did not mean it to.
 */
export function mendHead(socket: Socket): void {
  const push = socket.push.bind(socket)
  let held: Buffer | undefined = Buffer.alloc(0)
  socket.push = (chunk: Buffer | null) => {
    if (held === undefined) return push(chunk)
    const { mended, rest } =
      chunk === null ? { mended: held, rest: held } : mend(Buffer.concat([held, chunk]))
    held = rest
    if (mended.length > 0) push(mended)
    return chunk === null ? push(null) : true
  }
}

/** @returns what can be passed on, and what is held until more of the head has come; `undefined`: it has come to its end */
function mend(bytes: Buffer): { mended: Buffer; rest: Buffer | undefined } {
  const text = bytes.toString('latin1')
  const heads: string[] = []
  let start = 0
  let isWhole = false
  for (const end of text.matchAll(/\r?\n\r?\n/g)) {
    const [status = '', ...lines] = text.slice(start, end.index).split(/\r?\n/)
    heads.push(`${[status, ...lines.filter(line => FIELD.test(line))].join('\r\n')}\r\n\r\n`)
    start = end.index + end[0].length
    // Another head follows an interim one.
    isWhole = !/^HTTP\/\d\.\d 1/.test(status)
    if (isWhole) break
  }
  const mended = Buffer.from(heads.join(''), 'latin1')
  const rest = bytes.subarray(start)
  // Node refuses a head that is too long.
  const isOver = isWhole || rest.length > maxHeaderSize
  return isOver ? { mended: Buffer.concat([mended, rest]), rest: undefined } : { mended, rest }
}
