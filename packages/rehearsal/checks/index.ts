/** The acceptance checks, for whoever has an agent to examine. */
export { BESIDE } from './beside.ts'
export {
  type CheckLimits,
  type CheckOptions,
  defaultLimits,
  type GroupId,
  type PlatformAccess,
} from './options.ts'
export { groups, runChecks } from './run-checks.ts'
export { sentences } from './sentences.ts'
