const JAPANESE =
  '<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /90ms-RKSJ-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 >>] >>'

/** A PDF of text, a page for every 40 lines. */
export function pdf(title: string, paragraphs: readonly string[]): Buffer {
  const lines = paragraphs.flatMap(text => [...(text.match(/.{1,90}(?:\s|$)/g) ?? []), ''])
  const pages: string[][] = []
  for (let at = 0; at < lines.length; at += 40) pages.push(lines.slice(at, at + 40))
  return drawnPdf(
    title,
    pages.map(page => `/F1 11 Tf 14 TL 50 780 Td ${page.map(line => `${shown(line)} T*`).join('\n')}`),
  )
}

/** The operator that shows a text. */
export function shown(text: string): string {
  return `(${text.trimEnd().replace(/[\\()]/g, '\\$&')}) Tj`
}

/**
 * A PDF of pages as they are drawn.
 *
 * @param pages operators between BT and ET; `F1` is Helvetica, `F2` takes Shift-JIS
 * @param fields of a form on the first page, as members of their dictionaries
 */
export function drawnPdf(title: string, pages: readonly string[], fields: readonly string[] = []): Buffer {
  const first = 5 + 2 * pages.length
  const annotations = fields.map((_, n) => `${first + n} 0 R`).join(' ')
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${annotations}] >> >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, n) => `${5 + 2 * n} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Title ${shown(title).slice(0, -3)} /ModDate (D:20240210120000Z) >>`,
  ]
  for (const [n, page] of pages.entries()) {
    const stream = `BT ${page} ET`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 842 842] /Resources << /Font << /F1 3 0 R /F2 ${JAPANESE} >> >> /Contents ${6 + 2 * n} 0 R ${n === 0 ? `/Annots [${annotations}]` : ''} >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    )
  }
  objects.push(...fields.map(field => `<< /Type /Annot /Subtype /Widget /F 4 ${field} >>`))
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
