/** The prebuilt agent with this service's prompt and tools. */
import { servePrebuilt } from './prebuilt-agent.ts'
import { systemPrompt, tools } from './work.ts'

servePrebuilt(systemPrompt, tools)
