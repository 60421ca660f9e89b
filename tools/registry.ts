// biome-ignore-all assist/source/organizeImports: a line may be added anywhere
/** The tools of this agent. A new one is a file beside this one, and a line here; web search has settings: see create-tools.ts. */
export { calculator } from './calculator.ts'
export { time } from './time.ts'
