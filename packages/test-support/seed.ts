const { SEED } = process.env

/** What `npm run test:faults -- --seed 17` asks for: the one case, or the cases, of this number. Absent: those of every day. */
export const askedSeed = SEED === undefined ? undefined : Number(SEED)
