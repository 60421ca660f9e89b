/*! @license CMaps
 * Copyright 1990-2009 Adobe Systems Incorporated.
 * All rights reserved.
 *
 * Redistribution and use in source and binary forms, with or
 * without modification, are permitted provided that the
 * following conditions are met:
 *
 * Redistributions of source code must retain the above
 * copyright notice, this list of conditions and the following
 * disclaimer.
 *
 * Redistributions in binary form must reproduce the above
 * copyright notice, this list of conditions and the following
 * disclaimer in the documentation and/or other materials
 * provided with the distribution.
 *
 * Neither the name of Adobe Systems Incorporated nor the names
 * of its contributors may be used to endorse or promote
 * products derived from this software without specific prior
 * written permission.
 *
 * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND
 * CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
 * INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF
 * MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
 * DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR
 * CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
 * SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT
 * NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
 * LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION)
 * HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN
 * CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR
 * OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
 * SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
 */
import { brotliDecompressSync } from 'node:zlib'

/**
 * Tells PDF.js what the codes of Chinese, Japanese and Korean fonts stand for that do not say so themselves. Of `cmaps.json`, by
 * `scripts/pdf-cmaps.ts`.
 */
export class CMaps {
  /** @throws {Error} for a file of another kind or name */
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const { default: cmaps } = await import('./cmaps.json', { with: { type: 'json' } })
    let at = 0
    for (const [name, length] of Object.entries(cmaps.lengths)) {
      if (filename === `${name}.bcmap`) {
        const maps = brotliDecompressSync(Buffer.from(cmaps.brotli, 'base64'))
        return new Uint8Array(maps.subarray(at, at + length))
      }
      at += length
    }
    throw new Error(`no file ${filename}`)
  }
}
