import type { Proofs } from './promises-of.ts'

export const readme: Proofs = {}
