import { lexer, type Token, type Tokens } from 'marked'
import { type ComponentChildren, h } from 'preact'
import { webAddress } from '../state/run-steps.ts'
import { Scroller } from './scroller.tsx'

/** Longer texts stay unformatted. */
const MAX_LENGTH = 20_000
/** Deeper nesting stays unformatted. */
const MAX_DEPTH = 12

/** Parses Markdown; undefined if the text has no formatting, is too long or cannot be parsed. */
export function markdownIn(text: string): readonly Token[] | undefined {
  if (text.length > MAX_LENGTH) return undefined
  try {
    const tokens = lexer(text, { gfm: true, breaks: true })
    return tokens.some(isMarked) ? tokens : undefined
  } catch {
    return undefined
  }
}

function isMarked(token: Token): boolean {
  if (token.type === 'paragraph') return (token.tokens ?? []).some(isMarked)
  return !['text', 'space', 'br', 'html', 'escape'].includes(token.type)
}

const TAGS: Readonly<Record<string, string>> = {
  ...{ strong: 'strong', em: 'em', del: 'del', br: 'br', hr: 'hr', blockquote: 'blockquote' },
  ...{ paragraph: 'p', heading: 'p', list_item: 'li' },
}

/** Renders only our own elements: no markup from the text reaches the page, and no images load. */
export function Markdown({ tokens }: { tokens: readonly Token[] }) {
  return <div class="markdown stack">{shown(tokens, 0)}</div>
}

function shown(tokens: readonly Token[] = [], depth: number): ComponentChildren {
  return tokens.map((token, index) => <Part key={index} token={token} depth={depth} />)
}

function Part({ token, depth }: { token: Token; depth: number }): ComponentChildren {
  if (depth > MAX_DEPTH) return token.raw
  const { tokens } = token as Tokens.Generic
  const inner = () => shown(tokens, depth + 1)
  const tag = TAGS[token.type]
  if (tag !== undefined) return h(tag, { class: token.type === 'heading' ? 'heading' : undefined }, inner())
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'codespan':
      return <code>{token.text}</code>
    case 'code':
      return <pre>{token.text}</pre>
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ '
    case 'list':
      return h(
        token.ordered ? 'ol' : 'ul',
        token.ordered && { start: Number(token.start) || 1 },
        shown(token.items, depth),
      )
    case 'table':
      return <Table table={token as Tokens.Table} depth={depth} />
    case 'link': {
      const href = webAddress(token.href)
      return href === undefined ? token.raw : <WebLink href={href}>{inner()}</WebLink>
    }
    case 'text':
    case 'escape':
      return tokens ? inner() : token.text
    default:
      return token.raw
  }
}

/** An external link that sends no referrer. */
export function WebLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  )
}

function Table({ table: { header, rows }, depth }: { table: Tokens.Table; depth: number }) {
  const cells = (row: readonly Tokens.TableCell[]) =>
    row.map(({ tokens, header: isHeader }, index) =>
      h(isHeader ? 'th' : 'td', { key: index }, shown(tokens, depth + 1)),
    )
  return (
    <Scroller kind="scroller" label="Table">
      <table>
        <thead>
          <tr>{cells(header)}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>{cells(row)}</tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}
