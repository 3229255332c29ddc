export const agents = {
  title: 'Agents',
  intro: 'An agent without rules of its own uses the groups that are on by default. One with rules uses what they name.',
  empty: 'No agent has rules of its own.',
  emptyText: 'Give an agent rules to widen or narrow what it may use.',
  agent: 'Agent', groups: 'Groups', tools: 'Tools', deny: 'Denied',
  add: 'Add an agent', edit: 'Change',
  editOf: (name: string) => `Change ${name}`,
  hints: {
    groups: 'Names of groups it may use, separated by spaces or lines. A * at the end stands for all that begin so.',
    tools: 'Names of tools it may use.',
    deny: 'Names of tools and groups it may not use, whatever else is named.',
  },
  unknown: 'No tool or group has these names now:',
  save: 'Save', saved: 'Saved.',
  remove: 'Remove its rules', removeSure: 'Yes, remove its rules', removed: 'Its rules are removed.',
  one: 'What an agent has now', person: 'For the person', effective: 'Tools that a model is offered', latest: 'Its latest calls', allCalls: 'All its calls', noCalls: 'No calls are known.',
  offered: (n: number, off: number) => `${n.toLocaleString('en')} ${n === 1 ? 'tool' : 'tools'}${off ? `; ${off.toLocaleString('en')} more cannot be called now` : ''}`,
};
