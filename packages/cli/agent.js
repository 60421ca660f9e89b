#!/usr/bin/env node
// Plain JavaScript that any Node can parse. What needs Node 24 comes after it, by name: in an installed package it is no TypeScript.
import '@agent-task-service/engine/node-version'

const { runCommand } = await import('@agent-task-service/cli')
await runCommand(process.argv.slice(2), process.env)
