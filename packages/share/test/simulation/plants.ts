/** A fault to plant in a source. */
interface Plant {
  /** In packages/. */
  readonly file: string
  readonly was: string
  readonly is: string
}

/** Races that a change could bring in, by name: what the simulation is for. */
export const plants: Readonly<Record<string, Plant>> = {
  'a slot goes to a caller who has left': {
    file: 'engine/tasks/admission.ts',
    was: 'this.#queue.delete(admit)\n',
    is: '\n',
  },
  'a caller joins a run that ends': {
    file: 'engine/tasks/join-and-replay.ts',
    was: '!running.signal.aborted && ',
    is: '',
  },
  'a failure is replayed': {
    file: 'engine/tasks/memory-ledger.ts',
    was: "if (response.status === 'success') ",
    is: '',
  },
  'a caller who leaves counts twice': {
    file: 'engine/tasks/join-and-replay.ts',
    was: 'this.#callers -= 1',
    is: 'this.#callers -= 2',
  },
  'a caller who left while it was claimed is not noticed': {
    file: 'engine/tasks/join-and-replay.ts',
    was: 'if (caller.aborted) leave()\n    else ',
    is: '',
  },
  'a side effect does not wait for its record': {
    file: 'engine/journal/effects.ts',
    was: 'if (await this.#store.writeEffect(effect)) return',
    is: 'setTimeout(() => this.#store.writeEffect(effect).catch(() => undefined), 20); return',
  },
  'a side effect is had again': {
    file: 'engine/journal/effects.ts',
    was: 'if (replayed) return await replayed',
    is: '',
  },
  'a task is taken over from a living replica': {
    file: 'share/claim-scripts.ts',
    was: 'left > 0 or',
    is: 'left > 3500 or',
  },
  'who waits for another replica has no deadline': {
    file: 'engine/tasks/join-and-replay.ts',
    was: 'withTimeLimit(this.signal, Math.max(0, this.#timeLeftMs),',
    is: 'withTimeLimit(this.signal, 2 ** 30,',
  },
  'text arrives after what followed it': {
    file: 'engine/tasks/event-feed.ts',
    was: 'else pass([...take(), encoded])',
    is: 'else pass([encoded])',
  },
  'who waits for a slot hears no signal': {
    file: 'engine/tasks/admission.ts',
    was: "signal.addEventListener('abort', leave)",
    is: '',
  },
  'a step is recorded after another replica took over': {
    file: 'share/claim-scripts.ts',
    was: "local state, isKnown = standing()\nif state ~= 'ours' then return {state} end\nif not isKnown and",
    is: "local state, isKnown = standing()\nwriteSteps()\nif state ~= 'ours' then return {state} end\nif not isKnown and",
  },
  'steps outlive the reply of a run that failed': {
    file: 'share/claim-scripts.ts',
    was: "redis.call('DEL', key, steps)",
    is: "redis.call('DEL', key)",
  },
  'steps outlive a reply that others wait for': {
    file: 'share/claim-scripts.ts',
    was: "if response then\n  redis.call('DEL', steps)",
    is: 'if response then',
  },
  'steps are kept for ever': {
    file: 'share/claim-scripts.ts',
    was: "if #givenSteps > 0 then redis.call('PEXPIRE', steps, given.lifeMs) end",
    is: '',
  },
  'a step is recorded with the next heartbeat': {
    file: 'share/redis-lease.ts',
    was: 'if (isDueNow && connection.availableForMs > 0) await this.#beat()',
    is: '',
  },
  'steps of a run that was released are lost': {
    file: 'share/redis-lease.ts',
    was: 'const goesOn = hasHappened || this.#hasSteps',
    is: 'const goesOn = hasHappened',
  },
  'equal calls are one': {
    file: 'engine/journal/steps.ts',
    was: 'const count = (this.#counts.get(ofCall) ?? 0) + 1',
    is: 'const count = 1',
  },
  'requests are equal whatever tools have returned': {
    file: 'engine/model/request-digest.ts',
    was: 'messages.map(read)',
    is: "messages.filter(({ type }) => type !== 'tool').map(read)",
  },
  'a reply that was not made again costs nothing': {
    file: 'engine/run/run-callback-handler.ts',
    was: 'open.replayed ?? (await',
    is: 'open.replayed ? { tokens: { inputTokens: 0, outputTokens: 0 }, cost: { usd: 0, isEstimate: false } } : (await',
  },
  'the time decides what was asked before': {
    file: 'engine/run/budget.ts',
    was: 'this.#wasPastSoftDeadline() ?? ',
    is: '',
  },
}
