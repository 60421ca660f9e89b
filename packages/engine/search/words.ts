/** Scripts without spaces between words. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}`
const WORDS = new RegExp(String.raw`(?<unspaced>[${UNSPACED}]+)|[[\p{L}\p{N}]--[${UNSPACED}]]+`, 'gv')

/** `m^2` is found by `m²` and by `m2`. */
const RAISED = /(?<=[\p{L}\p{N}])[\^_](?=\p{N})/gu

/** Words of a question that say nothing about its answer. */
const STOP_WORDS = new Set(
  wordsOf(
    'a an and are at be by did do does for from had has have how in is it its many much of on or that the this to was were what when where which who whose why will with der die das den dem des ein eine ist und von wie viel viele wer wann wo le la les un une du de et est qui que quel quelle el los las en es y cuando donde',
  ),
)

/** The words of a query that say something about its answer; all, if none does. */
export function queryWords(query: string): string[] {
  const words = [...new Set(wordsOf(query))]
  const telling = words.filter(word => !STOP_WORDS.has(word))
  return telling.length > 0 ? telling : words
}

/** Words without case, accents and endings; in scripts without spaces, pairs of characters. */
export function wordsOf(text: string): string[] {
  const joined = text.replace(RAISED, '')
  const plain = joined.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC').toLowerCase()
  return [...plain.matchAll(WORDS)].flatMap(({ 0: word, groups }) => {
    const letters = groups!.unspaced === undefined ? [] : [...word]
    if (letters.length < 2) return [stem(word)]
    return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)
  })
}

/** Removes English endings. Other languages mostly keep theirs, in query and text alike. */
function stem(word: string): string {
  return word.length < 5 ? word : word.replace(/(?:ies|ing|ed|es|s|ly|y|e)$/, '')
}
