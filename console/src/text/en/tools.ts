import type { Wrong } from '../../pages/tools/form';
import type { Order } from '../../pages/tools/order';

const number = (n: number) => n.toLocaleString('en');

export const tools = {
  title: 'Tools',
  found: (n: number) => (n === 1 ? '1 tool' : `${number(n)} tools`),
  empty: 'No tools.',
  emptyText: 'Tools appear here as soon as a worker that has them runs.',
  emptyFiltered: 'No tool matches. Search with fewer or other words.',
  name: 'Name', description: 'Description', group: 'Group', category: 'Category', risk: 'Risk',
  off: 'Off',
  offText: 'This tool is switched off.',
  loadErrors: (n: number) => (n === 1 ? '1 definition was not loaded' : `${number(n)} definitions were not loaded`),
  loadErrorsText: 'Workers read these files and left out what is wrong in them.',
  entry: (n: number) => `definition ${n + 1}`,
  effect: 'Effect',
  destroys: 'Destroys or overwrites something', changes: 'Changes something', reads: 'Only reads',
  again: 'Run twice',
  idempotent: 'Has the same effect as once', once: 'May have its effect twice',
  kind: 'Kind',
  kinds: { builtin: 'Built in', js: 'JavaScript file', dynamic: 'Custom tool', remote: 'Remote worker', mcp: 'MCP server', openapi: 'OpenAPI service' } as Record<string, string>,
  pool: 'Pool', timeout: 'Time limit', version: 'Version', aliases: 'Other names',
  seconds: (n: number) => `${number(n)} s`,
  number,
  definition: 'Definition', example: 'Example', parameters: 'Parameters', resultSchema: 'Result', whole: 'All of it as JSON',
  try: 'Try it',
  noParameters: 'It takes no arguments.',
  user: 'For the person',
  userHint: 'The call is made for this person, who is asked if it needs consent.',
  optional: 'optional',
  choose: 'Choose', unset: 'Not set',
  asJSON: 'Write it as JSON.',
  run: 'Run',
  running: 'Running',
  toCall: 'Open the call',
  waits: 'It waits for a person. Open the request',
  wrong: (w: Wrong) => {
    switch (w.why) {
      case 'required': return 'Fill this in.';
      case 'number': return 'Enter a number, such as 2.5.';
      case 'integer': return 'Enter a whole number.';
      case 'precision': return 'This number has more digits than the page can send.';
      case 'json': return 'This is not JSON. Texts need double quotes.';
      case 'choice': return 'Choose one of the values.';
      case 'min': return `Enter ${number(w.n)} or more.`;
      case 'max': return `Enter ${number(w.n)} or less.`;
      case 'minLength': return `Enter at least ${number(w.n)} characters.`;
      case 'maxLength': return `Enter at most ${number(w.n)} characters.`;
    }
  },
  users: 'Who may use it',
  consent: 'Consent', 
  decided: { run: 'Runs without asking', ask: 'A person is asked first', refuse: 'Refused by the policy' } as Record<string, string>,
  depends: 'Rules look at the arguments: a call may be decided otherwise.', undecided: 'Not known now',
  permissions: 'Permissions', none: 'None needed',
  tenants: 'Only tenants', agents: 'Only agents', conversations: 'Only conversations',
  rules: 'Agents with rules of their own', noRules: 'No agent has rules of its own. Each has the groups that are on by default.',
  allowed: 'Allowed', denied: 'Not allowed',
  sort: 'Order',
  orders: { name: 'By name', calls: 'Most calls', errors: 'Most errors', time: 'Slowest' } satisfies Record<Order, string>,
  over: (calls: number, errors: number) => `${number(calls)} calls in 24 hours, ${number(errors)} failed`,
  stats: 'Its calls',
  noCalls: 'No calls since',
  calls: 'Calls', errors: 'Errors', median: 'Median time', p99: '99 of 100 within', last: 'Last call', since: 'Counted since',
  share: (n: number, of: number) => `${number(n)} (${(n / Math.max(1, of)).toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 })})`,
};
