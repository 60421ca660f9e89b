/** A PDF of text, a page for every 40 lines. */
export function pdf(title: string, paragraphs: readonly string[]): Buffer {
  const lines = paragraphs.flatMap(text => [...(text.match(/.{1,90}(?:\s|$)/g) ?? []), ''])
  const pages: string[][] = []
  for (let at = 0; at < lines.length; at += 40) pages.push(lines.slice(at, at + 40))
  const escaped = (text: string) => text.trimEnd().replace(/[\\()]/g, '\\$&')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, n) => `${5 + 2 * n} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Title (${escaped(title)}) /ModDate (D:20240210120000Z) >>`,
  ]
  for (const [n, page] of pages.entries()) {
    const stream = `BT /F1 11 Tf 14 TL 50 780 Td ${page.map(line => `(${escaped(line)}) Tj T*`).join('\n')} ET`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + 2 * n} 0 R >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    )
  }
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, n) => {
    const offset = text.length
    text += `${n + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = text.length
  const rows = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`
  text += `trailer << /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}
