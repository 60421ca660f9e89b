/**
 * A Chromium in the POSIX locale calls its language `en-US@posix`, which is no language tag: uPlot, which makes a
 * format of it as it loads, would take the whole page down. To be imported before it.
 */
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en' })
}
