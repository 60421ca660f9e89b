const KIND = '(date and time|time and date|day and time|day and date|date|time|day|times|hour)'
const AT_NOW = '[right now|now|today|currently|at the moment|at present]'
/** The second form follows "tell me what". */
const IS_IT = `(what|which) ${KIND} is it|${KIND} it is`
const EXACT = '(current|local|exact|present) [local]'
const WHAT_TIME = 'what [is the] time [is it|will it be|would it be]'
const WHEN =
  '[(what|which|when|the) [is the|was the|will be the] [date|day|time|day of the week] [it is|is it|is|was it|was|will it be|will be|would be|falls] [in]]'
const WEEK = '[iso] (week number|week)'
const WEEKDAY = `(day of the week|day of week|weekday|${WEEK})`
const COUNT = '[how many|[the] (number of|difference in)] {unit}'
const GAP =
  '(time difference|time zone difference|timezone difference|difference in time|difference in time zones|difference in hours|hour difference|hours|time gap|time offset)'
const HOW_FAR = 'how (many hours|far|much)'
const LEFT = 'there are|are there|is there|is it|are left|is left|left|remain|remains|to go|do we have'
const SPAN = `([how many|[the] number of] {workdays} [are there|are|is it|lie]|${COUNT}|how long|how much time|[the] [time] difference|[the] time) [is it|are there|is there|are|is|lie|passed|elapsed]`

/**
 * Questions about times and dates, with the arguments for the time tool. `times.ts` defines the slots; an argument
 * whose slot is empty is omitted. `present` means today or now, to match the other end.
 */
export const TIME_PHRASES = `
  (${IS_IT}|what (year|month) is it|[the] ${EXACT} ${KIND} [is it]|the ${KIND} [is it|is]) ${AT_NOW} => now
  (${IS_IT}|[the] [${EXACT}] ${KIND} [is it|is]) ${AT_NOW} (in|at|for) {places} ${AT_NOW} => now to_zones=$1
  (today's (date|day)|(what|which) (day|date) is [it] today|what is today) [in {places}] => now to_zones=$1
  ({places} time|(what|which) (time zone|timezone) is {places} in|[the] (time zone|timezone|utc offset|gmt offset) (of|in|for) {places}) [right now|now] => now to_zones=$1 to_zones=$2 to_zones=$3
  (is|was|will) {period} [be] a leap year => convert time=$1
  [how many|[the] number of] days (in|are in|were in|are there in|does|will) {period} [have|has] => convert time=$1
  ${COUNT} (are left|left|remain|are remaining) in {period} => difference unit=$1 time=present end=$2
  (what is|when is|when was|what was|what date is|what day is) [the] {nth} => convert time=$1
  [the] [current] (unix|epoch) (time|timestamp) [is it|is] ${AT_NOW} => difference time=@0 end=now
  [the] (unix|epoch) (time|timestamp) (of|for|at|on) {moment} => difference time=@0 end=$1
  [(what|which) (date|time) is|the date of|the time of|the] (unix|epoch) (time|timestamp) {epoch} [to|in|as] [utc|a date|date|human time] => convert time=@$1 to_zones=UTC
  [the] (${GAP}|${GAP} in hours|how many hours are there|how many hours are|how many hours) between {place} (and|&|vs) {place} => now zone=$1 to_zones=$2
  [the] ${GAP} [from] {place} (to|and|vs|versus) {place} => now zone=$1 to_zones=$2
  [the] difference between {place} and {place} (time|time zones) => now zone=$1 to_zones=$2
  ${HOW_FAR} (ahead|behind) is {place} (of|from|compared to|than) {place} => now zone=$1 to_zones=$2
  ${HOW_FAR} (ahead of|behind) {place} is {place} => now zone=$2 to_zones=$1
  ${HOW_FAR} is {place} (ahead of|behind) {place} => now zone=$1 to_zones=$2
  ${WHAT_TIME} in {places} ((when|if) (it is|it's)|at) {zoned} [time] => convert time=$2 to_zones=$1
  (when|if) (it is|it's) {zoned} [time] [,] [then] ${WHAT_TIME} in {places} => convert time=$1 to_zones=$2
  [what time is|what is] {zoned} [time] (to|in|into) {places} [time] => convert time=$1 to_zones=$2
  {zoned} [time] (is|=) what time in {places} => convert time=$1 to_zones=$2
  ${SPAN} between {moment} and {moment} => difference unit=$2 time=$3 end=$4
  ${SPAN} [from] {moment} (to|until|till) {moment} => difference unit=$2 time=$3 end=$4
  (${COUNT}|how long|how much time) [${LEFT}] (until|till|to|before) {moment} => difference unit=$1 time=present end=$2
  (${COUNT}|how long) ([is it|has it been|have passed|have gone by|passed] since|ago was) {moment} => difference unit=$1 time=$2 end=present
  ${WHEN} {duration} (after|from|past) {moment} => add time=$2 duration=$1
  ${WHEN} {duration} (before|prior to) {moment} => add time=$2 duration=-$1
  (how old (am i|is he|is she|is (someone|a person)) [if|who] [i|he|she|they] [was|were] born (on|in) {date}|[if] i was born (on|in) {date} [,|.] how old am i [now|today]) => difference time=$1 time=$2 end=present
  ${WHEN} {duration} ago => add time=now duration=-$1
  (what [will the] (time|date|day) (is it|will it be|is|would it be|be)|[the] (date|day|time)) in {duration} [in {place}] => add time=now duration=$1 zone=$2
  what (time|date|day) (is it|will it be|would it be) in {place} in {duration} => add time=now duration=$2 zone=$1
  add {duration} to {moment} => add time=$2 duration=$1
  subtract {duration} from {moment} => add time=$2 duration=-$1
  {moment} (plus|+) {duration} => add time=$1 duration=$2
  {moment} (minus|-) {duration} => add time=$1 duration=-$2
  [on] (what|which) (${WEEKDAY}|day) (is|was|will|does|did|would) [it] [be] [on|in] {date} [fall|land|be] [on|in] [this year] => convert time=$1
  [the] (${WEEKDAY} (of|on|for|is)|day on|date [of|on|for]) {date} => convert time=$1
  (((what|which) date|when) (is|was|will be)|when's) {date} => convert time=$1
  ((what|which) ${WEEK} is it|[the] current ${WEEK}) => convert time=today
  ({day}'s (date|day)|the (date|day) {day}) => convert time=$1 time=$2`
