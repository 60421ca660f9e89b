/**
 * uPlot, as it loads, has numbers formatted in the browser's language, and would leave the page empty where that is no
 * language: Chromium says `en-US@posix` where `LANG` is `C`. Nothing here depends on it.
 */
try {
  new Intl.NumberFormat(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en' })
}
