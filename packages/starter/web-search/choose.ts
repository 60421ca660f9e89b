import { rank, wordsOf } from '@agent-task-service/engine/rank'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { type ChosenText, type FoundPage, headOfPage, passageLines, worded } from './result-text.ts'

/** How many passages more than another page one page may contribute while that one has some left. */
const MOST_AHEAD = 2
/** Share of the budget that the best passages of a page asked for get first, wherever they stand on it. */
const BEST_FIRST = 0.5
/** Share of the best score of its own page that a passage must have. Of all pages', it would lose questions of two parts. An engine's selection is as short as it wants. */
const WORTH_SHOWING = 0.4
/** Share of a passage's word triples that must recur to make it a duplicate; its numbers must recur too. */
const DUPLICATE = 0.8

interface Candidate {
  readonly page: FoundPage
  readonly index: number
  readonly score: number
  readonly lines: string
  readonly tokens: number
  readonly triples: ReadonlySet<string>
  readonly figures: ReadonlySet<string>
}

/**
 * Chooses the passages of all pages that best answer a query, without near-duplicates and without those the model has
 * read, and formats them for the model.
 *
 * @param budget most tokens of the whole text, in o200k_base
 * @param isRequestedPage whether it is one page that the model asked for: what matches best, then the rest from its start
 */
export async function choose(
  query: string,
  pages: readonly FoundPage[],
  head: string,
  budget: number,
  isRequestedPage = false,
): Promise<ChosenText> {
  const candidates = candidatesIn(query, pages, isRequestedPage)
  const known = candidates.filter(({ page, index }) => page.shown.includes(index))
  const repeated = [...new Set(known.map(({ page }) => page))]
  let waiting = candidates.filter(candidate => !known.includes(candidate))
  const chosen: Candidate[] = []
  const countOf = (page: FoundPage) => chosen.filter(one => one.page === page).length
  let used = tokensOf(worded(head, [], repeated)) + 2
  let isInOrder = false
  while (waiting.length > 0) {
    if (isRequestedPage && !isInOrder && used > budget * BEST_FIRST) {
      isInOrder = true
      waiting.sort((one, other) => one.index - other.index)
    }
    const least = Math.min(...waiting.map(({ page }) => countOf(page)))
    const candidate = waiting.find(({ page }) => countOf(page) < least + MOST_AHEAD)!
    waiting = waiting.filter(other => other !== candidate)
    const { page } = candidate
    const others = [...known, ...chosen]
    const isDuplicate = !isRequestedPage && others.some(other => isNearDuplicate(candidate, other))
    const isNamed = others.some(other => other.page === page)
    const price = candidate.tokens + (isNamed ? 0 : tokensOf(headOfPage(page)))
    if (isDuplicate || used + price > budget) {
      // What follows would leave a gap.
      if (isInOrder) break
      continue
    }
    chosen.push(candidate)
    used += price
  }
  while (chosen.length > 1 && tokensOf(worded(head, chosen, repeated)) > budget) chosen.pop()
  return {
    text: worded(head, chosen, repeated),
    chosen: chosen.map(({ page, index }) => [page.number, index]),
  }
}

function candidatesIn(query: string, pages: readonly FoundPage[], isRequestedPage: boolean): Candidate[] {
  const found = pages.flatMap(page =>
    page.passages.flatMap((passage, index) =>
      isRequestedPage && page.shown.includes(index) ? [] : [{ page, index, passage }],
    ),
  )
  const texts = found.map(({ page, passage }) => `${page.title} ${passage.heading} ${passage.text}`)
  const scores = rank(query, texts)
  const isAnswered = scores.some(score => score > 0)
  const scored = found.map((one, at) => ({
    ...one,
    score: scores[at]! * (1 - pages.indexOf(one.page) / 50),
  }))
  const best = new Map<FoundPage, number>()
  for (const { page, score } of scored) best.set(page, Math.max(best.get(page) ?? 0, score))
  return scored
    .filter(({ page, score }) => isRequestedPage || !page.isWhole || score >= WORTH_SHOWING * best.get(page)!)
    .filter(({ score, index }) => score > 0 || isRequestedPage || (!isAnswered && index === 0))
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, 200)
    .map(({ page, index, passage, score }) => {
      const lines = passageLines(passage)
      const words = wordsOf(passage.text)
      const threes = words.slice(0, -2).map((word, at) => `${word} ${words[at + 1]} ${words[at + 2]}`)
      const figures = new Set(passage.text.match(/\d+/g) ?? [])
      return { page, index, score, lines, tokens: tokensOf(lines), triples: new Set(threes), figures }
    })
}

/** Numbers distinguish an older page from a newer one with the same wording. */
function isNearDuplicate(one: Candidate, other: Candidate): boolean {
  if (one.triples.size === 0) return one.lines !== '' && one.lines === other.lines
  const shared = [...one.triples].filter(triple => other.triples.has(triple)).length
  return shared >= DUPLICATE * one.triples.size && [...one.figures].every(figure => other.figures.has(figure))
}

function tokensOf(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set<string>() })
}
