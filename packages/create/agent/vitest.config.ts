import { ownModules } from '@agent-task-service/cli/vitest'
import { defineConfig } from 'vitest/config'

export default defineConfig({ plugins: [ownModules()] })
