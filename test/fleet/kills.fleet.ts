import { describeLosses } from './losses.ts'

describeLosses('SIGKILL')
