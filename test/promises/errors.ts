import type { Proofs } from './promises-of.ts'

export const errors: Proofs = {}
