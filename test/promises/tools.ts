import type { Proofs } from './promises-of.ts'

export const tools: Proofs = {}
