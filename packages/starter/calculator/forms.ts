/** Words after which a number may begin: after any other, a parenthesis would call it. */
const WORD = String.raw`\b(?:of|plus|minus|times|by|per|x)`
const SIGN = String.raw`[*×÷([]|(?<!\de)[-+]|, `
/** `½` and `3½`, where a number may begin. */
const VULGAR = new RegExp(
  String.raw`(?<=(?:^|${SIGN}|[/^√]|(?<!\d *)[$€£¥₹]|${WORD}) *)(?<!\d\/(?=\d))(?:(\d+) *)?([¼-¾⅐-⅞])`,
  'gi',
)
/** `3 3/4`, where a number may begin and nothing follows that would take only its last part. */
const MIXED = new RegExp(
  String.raw`(?<=(?:^|${SIGN}|${WORD}) *)(\d+) +(\d{1,3})\/(\d{1,3})(?! *(?:[\d.(^!/√⁰¹²³⁴-⁹⁻¼-¾⅐-⅞]|,\d|e[-+\d]|x\d))`,
  'gi',
)
/** `3½` and `3 3/4` as sums; only a fraction below 1 makes a mixed number. */
export function withSums(text: string): string {
  return text
    .replace(VULGAR, (_, whole: string | undefined, sign: string) => {
      return sum(whole, sign.normalize('NFKC').replace('⁄', '/'))
    })
    .replace(MIXED, (typed: string, whole: string, above: string, below: string) => {
      const isProper = Number(above) > 0 && Number(above) < Number(below)
      return isProper ? sum(whole, `${above}/${below}`) : typed
    })
}

const sum = (whole: string | undefined, fraction: string) =>
  whole === undefined ? `(${fraction})` : `(${whole} + ${fraction})`
