import { describeLosses } from './losses.ts'

describeLosses('SIGSTOP')
