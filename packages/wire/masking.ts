/** Masks secrets, known ones and what looks like a key, in text that leaves a process. */
export * from './masking/copies.ts'
export * from './masking/guess.ts'
export * from './masking/mask.ts'
