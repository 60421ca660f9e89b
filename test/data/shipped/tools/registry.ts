// biome-ignore-all assist/source/organizeImports: a line may be added anywhere
/** This agent's tools. To add one, put a file next to this one and add a line here. Web search needs settings: create-tools.ts. */
export { calculator } from './calculator.ts'
export { time } from './time.ts'
