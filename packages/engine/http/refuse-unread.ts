import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorResponse } from '@agent-task-service/wire/contract'
import { full } from '../replies/errors.ts'

/** Tells a caller to come back, without reading its request. The kernel delivers what is written before the end. */
export function refuseUnread(socket: Socket): void {
  const { status, headers, message } = full()
  const body = JSON.stringify(errorResponse('', message))
  const fields = {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    Connection: 'close',
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  socket.destroy()
}
