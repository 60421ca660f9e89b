/** Fields of a protobuf message by number, as on the wire: 64-bit integers or bytes. */
export type Fields = Map<number, (bigint | Uint8Array)[]>

/** Reads one message; nested messages stay bytes. */
export function readFields(bytes: Uint8Array): Fields {
  const fields: Fields = new Map()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at)
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number) => {
    at += length
    return bytes.subarray(at - length, at)
  }
  const read = (type: number) => {
    if (type === 0) return varint()
    if (type === 2) return take(Number(varint()))
    if (type === 1 || type === 5) return take(type === 1 ? 8 : 4)
    throw new Error(`expected a wire type of protobuf 3, got ${type}`)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const value = read(tag & 7)
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value])
  }
  return fields
}

/** All messages at a path of field numbers. */
export function messagesAt(bytes: Uint8Array, ...path: number[]): Uint8Array[] {
  const [field, ...rest] = path
  if (field === undefined) return [bytes]
  const inner = (readFields(bytes).get(field) ?? []) as Uint8Array[]
  return inner.flatMap(each => messagesAt(each, ...rest))
}

export function textAt(bytes: Uint8Array, ...path: number[]): string[] {
  return messagesAt(bytes, ...path).map(each => Buffer.from(each).toString())
}
