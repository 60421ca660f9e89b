// biome-ignore-all assist/source/organizeImports: a line may be added anywhere
/** This agent's tools, offered in the order of these names. To add one, put a file next to this one and add a line here. */
export { calculator } from './calculator.ts'
export { code } from './code.ts'
export { time } from './time.ts'
export { webSearch } from './web-search.ts'
